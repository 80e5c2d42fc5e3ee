import type { Role } from "@fairlead/protocol";
import { expect, it } from "vitest";
import type { DeclaredCluster, DeclaredGuard } from "../../platform/declarations/index.ts";
import { requireDeclared } from "./require-declared.ts";

/** `files`: the roles that this hub's files say. */
function ask(options: { files?: readonly Role[]; isInForce: boolean; clusterRoles: readonly Role[] }) {
  const { files, isInForce, clusterRoles } = options;
  const guard = {
    cluster: () => files && ({ roles: files } as DeclaredCluster),
    isDeclared: () => isInForce,
    isWithdrawn: () => false,
  } as unknown as DeclaredGuard;
  return () => requireDeclared(guard, { cluster: "east", roles: ["proxy", "observe"], clusterRoles });
}

const [both, one] = [["proxy", "observe"], ["proxy"]] as const;
const refused = expect.objectContaining({ code: "IDENTITY_ROLE_UNDECLARED" });

it("an agent has no role that either this hub's files or those in force don't say", () => {
  expect(ask({ files: both, isInForce: true, clusterRoles: both })).not.toThrow();
  expect(ask({ files: one, isInForce: true, clusterRoles: both })).toThrow(refused);
  expect(ask({ files: both, isInForce: true, clusterRoles: one })).toThrow(refused);
  expect(ask({ isInForce: true, clusterRoles: one })).toThrow(refused);
});

it("a cluster that isn't declared has the roles that its tokens gave", () => {
  expect(ask({ isInForce: false, clusterRoles: one })).not.toThrow();
});
