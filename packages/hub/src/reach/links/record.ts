import type { Clock, FairleadError } from "@fairlead/kernel";
import type { Link, Role } from "@fairlead/protocol";
import type { AgentIdentity } from "../identity/index.ts";
import { helloOf, type LinkEvent, type LinkStage, nextLinkStage, refusalOf } from "./link-stage.ts";
import type { HelloFacts, LiveLink } from "./types.ts";

export interface LinkRecordOptions {
  readonly id: string;
  /** The identity in the link's certificate. */
  readonly peer: AgentIdentity;
  readonly link: Link;
  readonly remoteAddress: string;
  readonly clock: Clock;
}

/** The links room's own record of a link; everybody else sees it as a `LiveLink`. */
export class LinkRecord implements LiveLink, Disposable {
  readonly id: string;
  readonly cluster: string;
  readonly roles: readonly Role[];
  readonly link: Link;
  readonly connectedAt: number;
  /** The address that the connection of now comes from. */
  remoteAddress: string;
  /** The identity that the agent calls with; renewals change it. */
  peer: AgentIdentity;
  /** The keys of the certificates that the link was opened with and got since. */
  readonly keyThumbprints: Set<string>;
  readonly #clock: Clock;
  #stage: LinkStage = { is: "unintroduced" };
  #notAfter: number;
  #cancelExpiry: (() => void) | undefined;

  constructor({ id, peer, link, remoteAddress, clock }: LinkRecordOptions) {
    this.id = id;
    this.#clock = clock;
    this.peer = peer;
    this.cluster = peer.cluster;
    this.roles = peer.roles;
    this.link = link;
    this.connectedAt = clock.now();
    this.remoteAddress = remoteAddress;
    this.keyThumbprints = new Set([peer.keyThumbprint]);
    this.#notAfter = peer.notAfter;
    this.#watchExpiry();
  }

  get stage(): LinkStage {
    return this.#stage;
  }

  get hello(): HelloFacts | undefined {
    return helloOf(this.#stage);
  }

  get refusal(): FairleadError | undefined {
    return refusalOf(this.#stage);
  }

  get isDraining(): boolean {
    return this.#stage.is === "leaving";
  }

  /** Its agent has a newer link, and won't dial for this one again. */
  get isGivenUp(): boolean {
    return this.#stage.is === "leaving" && this.#stage.isGivenUp;
  }

  get notAfter(): number {
    return this.#notAfter;
  }

  get issuer(): string | undefined {
    return this.peer.issuer;
  }

  enter(event: LinkEvent): void {
    this.#stage = nextLinkStage(this.#stage, event);
  }

  /** The agent has a certificate that holds longer, maybe for another key. */
  renew(peer: AgentIdentity): void {
    this.peer = peer;
    this.keyThumbprints.add(peer.keyThumbprint);
    this.holdUntil(peer.notAfter);
  }

  holdUntil(notAfter: number): void {
    this.#notAfter = notAfter;
    this.#watchExpiry();
  }

  /** A timer would keep all of a dead link alive, for as long as its certificate was good. */
  [Symbol.dispose](): void {
    this.#cancelExpiry?.();
  }

  #watchExpiry(): void {
    this.#cancelExpiry?.();
    this.#cancelExpiry = this.#clock.after(Math.max(this.#notAfter - this.#clock.now(), 0), () => {
      if (this.#notAfter <= this.#clock.now()) this.link.close("certificate expired");
      // The clock was set back meanwhile, if only by as much as keeps it right.
      else this.#watchExpiry();
    });
  }
}
