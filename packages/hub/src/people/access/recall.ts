// Finds again who asked for something that goes on without them, and says whether the hub may act for them still.
import type { FairleadError } from "@fairlead/kernel";
import { type AbsentAsker, accessErrors, type Principal, robotPrefix } from "./policy/index.ts";
import type { Robots } from "./robots/index.ts";
import type { Users } from "./users/index.ts";

/** As they are now. A robot goes by its account and by the token that it asked with, as narrow as that is. */
export function recallPrincipal(
  accounts: {
    readonly users: Pick<Users, "account">;
    readonly robots: Pick<Robots, "find" | "knowsToken">;
    readonly hasAdminToken: (id: string | undefined) => boolean;
  },
  { kind, name, uid, tokenId, scope }: AbsentAsker,
): Principal | undefined {
  const { robots } = accounts;
  switch (kind) {
    case "robot": {
      const isThere = robots.find(name.slice(robotPrefix.length))?.uid === uid;
      return isThere && robots.knowsToken(tokenId) ? { kind, name, uid, groups: [], tokenId, scope } : undefined;
    }
    case "user": {
      const account = accounts.users.account(uid);
      return account && { kind, name: account.name, uid, groups: account.groups };
    }
    case "admin-token":
      return accounts.hasAdminToken(tokenId) ? { kind, name, uid, groups: [], tokenId } : undefined;
  }
}

/** Whoever is gone isn't refused here: `recallPrincipal` doesn't find them. */
export function refuseAbsent(
  accounts: {
    readonly users: Pick<Users, "account">;
    readonly robots: Pick<Robots, "find" | "hasToken">;
    readonly now: number;
    readonly maxAgeMs: number;
  },
  { kind, name: who, uid, tokenId }: AbsentAsker,
): FairleadError | undefined {
  const { users, robots, now, maxAgeMs } = accounts;
  switch (kind) {
    case "robot": {
      const isThere = robots.find(who.slice(robotPrefix.length))?.uid === uid;
      return isThere && !robots.hasToken(tokenId) ? accessErrors.ACCESS_ROBOT_TOKEN_OVER({ who }) : undefined;
    }
    case "user": {
      const signedInMs = users.account(uid)?.signedInMs ?? now;
      if (now - signedInMs <= maxAgeMs) return undefined;
      return accessErrors.ACCESS_GROUPS_OLD({ who, signedInAt: new Date(signedInMs).toISOString() });
    }
    case "admin-token":
      return undefined;
  }
}
