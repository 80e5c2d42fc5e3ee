// Finds again who asked for something that goes on without him.
import { type AbsentAsker, type Principal, robotPrefix } from "./policy/index.ts";
import type { Robots } from "./robots/index.ts";
import type { Users } from "./users/index.ts";

/** As he is now. A robot goes by its account, since its tokens come and go; what its token was narrowed to stays. */
export function recallPrincipal(
  accounts: {
    readonly users: Pick<Users, "account">;
    readonly robots: Pick<Robots, "find">;
    readonly hasAdminToken: (id: string | undefined) => boolean;
  },
  { kind, name, uid, tokenId, scope }: AbsentAsker,
): Principal | undefined {
  switch (kind) {
    case "robot": {
      const isThere = accounts.robots.find(name.slice(robotPrefix.length))?.uid === uid;
      return isThere ? { kind, name, uid, groups: [], scope } : undefined;
    }
    case "user": {
      const account = accounts.users.account(uid);
      return account && { kind, name: account.name, uid, groups: account.groups };
    }
    case "admin-token":
      return accounts.hasAdminToken(tokenId) ? { kind, name, uid, groups: [], tokenId } : undefined;
  }
}
