// Ends what the identity provider says is over.
import { toFairleadError } from "@fairlead/kernel";
import type { AccessRoom } from "../service.ts";
import type { SessionRecord } from "../sessions/index.ts";
import { oidcErrors } from "./errors.ts";
import type { OidcProvider } from "./provider.ts";
import type { OidcSignIn } from "./sign-in.ts";
import type { Logout, Person } from "./types.ts";
import type { UsedLogouts } from "./used-logouts.ts";

export interface OidcLogout {
  /** Names of those whose sessions it ended. Throws AUTH_OIDC_LOGOUT_INVALID. */
  end(token: string): Promise<readonly string[]>;
}

export function createOidcLogout(options: {
  readonly access: Pick<AccessRoom, "sessions" | "users" | "catchUp">;
  readonly provider: OidcProvider;
  readonly signIn: Pick<OidcSignIn, "forget">;
  readonly used: UsedLogouts;
}): OidcLogout {
  const { access, provider, signIn, used } = options;
  const { sessions, users } = access;

  return {
    async end(token) {
      const logout = await provider.readLogout(token);
      if (!(await used.take(logout))) throw oidcErrors.AUTH_OIDC_LOGOUT_INVALID({ reason: "it was already used" });
      try {
        await signIn.forget(logout);
        // They may have signed in at another hub just now.
        await access.catchUp();
        const ended = await sessions.end(isMeant);
        await used.done(logout);
        return [...new Set(ended.map(({ name }) => name))];
      } catch (thrown) {
        // The provider may send it again.
        await used.giveBack(logout).catch(() => undefined);
        throw toFairleadError(thrown);
      }

      function isMeant({ kind, uid, oidcSid: sid }: SessionRecord): boolean {
        const account = kind === "user" ? users.account(uid) : undefined;
        return account !== undefined && isAbout(logout, { ...account, sid });
      }
    },
  };
}

/** A sign-in of which nobody knows what the provider calls it may be the one: rather one too many is over. */
function isAbout(logout: Logout, { issuer, subject, sid }: Pick<Person, "issuer" | "subject" | "sid">): boolean {
  if (issuer !== logout.issuer) return false;
  if (logout.subject === undefined) return sid === logout.sid;
  return subject === logout.subject && (logout.sid === undefined || sid === undefined || sid === logout.sid);
}
