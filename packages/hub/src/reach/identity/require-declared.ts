import type { Role } from "@fairlead/protocol";
import type { DeclaredGuard } from "../../platform/declarations/index.ts";
import { identityErrors } from "./errors.ts";

/**
 * Where clusters are declared by files, one that isn't any more has no agents, and one that is has none with other roles.
 * Throws IDENTITY_UNDECLARED, IDENTITY_ROLE_UNDECLARED.
 */
export function requireDeclared(
  declared: DeclaredGuard | undefined,
  options: {
    readonly cluster: string;
    readonly roles: readonly Role[];
    /** The cluster's own: where it is declared, the declared ones. */
    readonly clusterRoles: readonly string[];
    /** By the database, where it was asked: another hub may have heard of it first. */
    readonly withdrawnAt?: Date | null;
  },
): void {
  const { cluster, roles, clusterRoles, withdrawnAt = null } = options;
  if (declared === undefined) return;
  if (withdrawnAt !== null || declared.isWithdrawn(cluster)) throw identityErrors.IDENTITY_UNDECLARED({ cluster });
  // This hub's files may differ from what is in force. A role is let in only when both allow it.
  const allowed = [declared.cluster(cluster)?.roles, declared.isDeclared(cluster) ? clusterRoles : undefined];
  if (!roles.every((role) => allowed.every((some) => some === undefined || some.includes(role))))
    throw identityErrors.IDENTITY_ROLE_UNDECLARED({ cluster });
}
