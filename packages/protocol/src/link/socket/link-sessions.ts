import { randomBytes } from "node:crypto";
import type { Link, Session } from "../session/index.ts";

/** The links that can be gone on with: one table for all that a process accepts. */
export class LinkSessions {
  readonly #byName = new Map<string, Session>();
  readonly #names = new WeakMap<Link, string>();

  /** A name that can't be guessed, for as long as the session lives. */
  name(session: Session): string {
    const name = randomBytes(16).toString("base64url");
    this.#byName.set(name, session);
    this.#names.set(session, name);
    void session.closed.then(() => this.#byName.delete(name));
    return name;
  }

  find(name: string): Session | undefined {
    return this.#byName.get(name);
  }

  /** Undefined until the link has greeted. */
  nameOf(link: Link): string | undefined {
    return this.#names.get(link);
  }
}
