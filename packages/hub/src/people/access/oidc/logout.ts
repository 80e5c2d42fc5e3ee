// Ends what the identity provider says is over.
import { type Clock, toFairleadError } from "@fairlead/kernel";
import type { AccessRoom } from "../service.ts";
import type { SessionRecord } from "../sessions/index.ts";
import { oidcErrors } from "./errors.ts";
import type { OidcProvider } from "./provider.ts";
import type { OidcSignIn } from "./sign-in.ts";
import type { Logout, Person } from "./types.ts";

export interface OidcLogout {
  /** Names of those whose sessions it ended. Throws AUTH_OIDC_LOGOUT_INVALID. */
  end(token: string): Promise<readonly string[]>;
}

export function createOidcLogout(options: {
  readonly access: Pick<AccessRoom, "sessions" | "users">;
  readonly provider: OidcProvider;
  readonly signIn: Pick<OidcSignIn, "forget">;
  readonly clock: Clock;
}): OidcLogout {
  const { access, provider, signIn, clock } = options;
  const { sessions, users } = access;
  /** Ids of those that were taken, each until its token is over. */
  const taken = new Map<string, number>();

  return {
    async end(token) {
      const logout = await provider.readLogout(token);
      takeOnce(logout);
      try {
        signIn.forget((person) => isAbout(logout, person));
        const names = new Set(
          sessions
            .list()
            .filter(isMeant)
            .map(({ name }) => name),
        );
        await sessions.end(isMeant);
        return [...names];
      } catch (thrown) {
        // The provider may send it again.
        taken.delete(logout.id);
        throw toFairleadError(thrown);
      }

      function isMeant({ kind, uid, oidcSid: sid }: SessionRecord): boolean {
        const account = kind === "user" ? users.account(uid) : undefined;
        return account !== undefined && isAbout(logout, { ...account, sid });
      }
    },
  };

  function takeOnce({ id, endsMs }: Logout): void {
    for (const [known, untilMs] of taken) if (untilMs <= clock.now()) taken.delete(known);
    if (taken.has(id)) throw oidcErrors.AUTH_OIDC_LOGOUT_INVALID({ reason: "it was used before" });
    taken.set(id, endsMs);
  }
}

/** A sign-in of which nobody knows what the provider calls it may be the one: rather one too many is over. */
function isAbout(logout: Logout, { issuer, subject, sid }: Pick<Person, "issuer" | "subject" | "sid">): boolean {
  if (issuer !== logout.issuer) return false;
  if (logout.subject === undefined) return sid === logout.sid;
  return subject === logout.subject && (logout.sid === undefined || sid === undefined || sid === logout.sid);
}
