import type { Role } from "@fairlead/protocol";
import type { DeclaredGuard } from "../../platform/declarations/index.ts";
import { identityErrors } from "./errors.ts";

/**
 * Where clusters are declared by files, one that isn't any more has no agents, and one that is has none with other roles.
 * Throws IDENTITY_UNDECLARED, IDENTITY_ROLE_UNDECLARED.
 */
export function requireDeclared(
  declared: DeclaredGuard | undefined,
  { cluster, roles }: { readonly cluster: string; readonly roles: readonly Role[] },
): void {
  if (declared === undefined) return;
  if (declared.isWithdrawn(cluster)) throw identityErrors.IDENTITY_UNDECLARED({ cluster });
  const wanted = declared.cluster(cluster);
  if (wanted && !roles.every((role) => wanted.roles.includes(role)))
    throw identityErrors.IDENTITY_ROLE_UNDECLARED({ cluster });
}
