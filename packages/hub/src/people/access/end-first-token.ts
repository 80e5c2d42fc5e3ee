// The token of the first start ends when somebody is in who can do all that it can.
import type { Clock } from "@fairlead/kernel";
import { type Grants, grantErrors, isWholeAdmin } from "./grants/index.ts";
import { adminName } from "./policy/index.ts";
import type { Sessions } from "./sessions/index.ts";
import type { AdminTokens } from "./tokens/index.ts";
import type { Users } from "./users/index.ts";

/**
 * Looks for someone who has the role admin on all clusters and a sign-in by the provider that is in force. A role alone
 * isn't enough, nor is a sign-in of the past: nobody knows whether they could come in today.
 */
export async function endFirstToken(options: {
  readonly adminTokens: AdminTokens;
  readonly grants: Grants;
  readonly sessions: Sessions;
  readonly users: Users;
  readonly clock: Clock;
  readonly issuer: string;
}): Promise<void> {
  const { adminTokens, grants } = options;
  const { first, byCommand } = adminTokens.count();
  if (first === 0 || !hasOtherAdmin(options)) return;
  // The role of a token that nobody has would count as the last admin's. First, as this is refused if it is.
  if (byCommand === 0 && !(await isUnbound(grants))) return;
  await adminTokens.revokeFirst("--first-admin-token-ends");
}

function hasOtherAdmin({ grants, sessions, users, clock, issuer }: Parameters<typeof endFirstToken>[0]): boolean {
  return sessions.list().some(({ kind, name, uid, groups, endsMs }) => {
    if (kind !== "user" || endsMs <= clock.now()) return false;
    if (users.account(uid)?.issuer !== issuer || !users.has(uid, name)) return false;
    return grants.of({ kind, name, uid, groups }).some(({ binding }) => isWholeAdmin(binding));
  });
}

async function isUnbound(grants: Grants): Promise<boolean> {
  if (!grants.bindings().some(({ subject }) => subject.kind === "admin-token")) return true;
  try {
    await grants.unbindSubject({ kind: "admin-token", name: adminName });
    return true;
  } catch (error) {
    if (grantErrors.is(error, "ACCESS_LAST_ADMIN")) return false;
    throw error;
  }
}
