// Principals for questions about someone who isn't asking.
import type { ExplainRequest } from "@fairlead/contract";
import { type AbsentAsker, type Principal, robotPrefix } from "./policy/index.ts";
import type { AccessRoom } from "./service.ts";

/** A robot by its own name or with the prefix that clusters see. */
export function robotAsker(name: string): Principal {
  const full = name.startsWith(robotPrefix) ? name : `${robotPrefix}${name}`;
  return { kind: "robot", name: full, uid: "", groups: [] };
}

export function toPrincipal({ robots, users }: AccessRoom, subject: ExplainRequest["subject"]): Principal {
  switch (subject.kind) {
    case "robot": {
      const asker = robotAsker(subject.name);
      return { ...asker, uid: robots.find(asker.name.slice(robotPrefix.length))?.uid ?? "" };
    }
    case "user": {
      const known = users.find(subject.name);
      const groups = subject.groups ?? known?.groups ?? [];
      return { kind: "user", name: subject.name, uid: known?.uid ?? "", groups };
    }
    case "admin-token":
      return { kind: "admin-token", name: subject.name, uid: "", groups: [] };
  }
}

/** As he is now. A robot goes by its account, since its tokens come and go; what its token was narrowed to stays. */
export function recallPrincipal(
  accounts: Pick<AccessRoom, "robots" | "users"> & { readonly hasAdminToken: (id: string | undefined) => boolean },
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
