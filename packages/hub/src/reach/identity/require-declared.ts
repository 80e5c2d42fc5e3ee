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
    /** By the database, where it was asked: another hub may have heard of it first. */
    readonly withdrawnAt?: Date | null;
  },
): void {
  const { cluster, roles, withdrawnAt = null } = options;
  if (declared === undefined) return;
  if (withdrawnAt !== null || declared.isWithdrawn(cluster)) throw identityErrors.IDENTITY_UNDECLARED({ cluster });
  const wanted = declared.cluster(cluster);
  if (wanted && !roles.every((role) => wanted.roles.includes(role)))
    throw identityErrors.IDENTITY_ROLE_UNDECLARED({ cluster });
}
