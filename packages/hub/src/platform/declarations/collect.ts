// Documents to one set, of which each thing is named once and names only what is there. Pure.
import { declarationErrors } from "./errors.ts";
import type { Declaration, Declarations, Place } from "./types.ts";

/** Throws DECLARATION_INVALID. */
export function collect(all: readonly Declaration[]): Declarations {
  const clusters = listOnce(
    all.flatMap((one) => (one.kind === "Cluster" ? one.cluster : [])),
    "Cluster",
  );
  const roles = listOnce(
    all.flatMap((one) => (one.kind === "Role" ? one.role : [])),
    "Role",
  );
  const bindings = listOnce(
    all.flatMap((one) => (one.kind === "Binding" ? one.binding : [])),
    "Binding",
  );
  const robots = listOnce(
    all.flatMap((one) => (one.kind === "Robot" ? one.robot : [])),
    "Robot",
  );
  const [limits, second] = all.flatMap((one) => (one.kind === "Limits" ? one.limits : []));
  if (limits && second) throw invalid(second, "Limits", `they are already in ${limits.file}, line ${limits.line}`);

  for (const role of roles) {
    if (builtInRoleNames.includes(role.name))
      throw invalid(role, `Role ${role.name}`, "a role with this name is built in");
  }
  const roleNames = new Set([...builtInRoleNames, ...roles.map(({ name }) => name)]);
  const robotNames = new Set(robots.map(({ name }) => name));
  for (const binding of bindings) {
    const { subject, role } = binding;
    const what = `Binding ${binding.name}`;
    if (!roleNames.has(role)) throw invalid(binding, what, `the role ${role} is neither declared nor built in`);
    if (subject.kind === "admin-token") throw invalid(binding, what, "an admin token can't be bound by a file");
    if (subject.kind === "robot" && !robotNames.has(subject.name))
      throw invalid(binding, what, `the robot ${subject.name} isn't declared`);
  }
  const holders = new Map<string, string>();
  for (const robot of robots) {
    for (const { sha256 } of robot.tokens) {
      const holder = holders.get(sha256);
      if (holder !== undefined)
        throw invalid(robot, `Robot ${robot.name}`, `one of its tokens also belongs to the robot ${holder}`);
      holders.set(sha256, robot.name);
    }
  }
  return { clusters, roles, bindings, robots, limits };
}

function listOnce<T extends Place & { readonly name: string }>(all: readonly T[], kind: string): T[] {
  const byName = new Map<string, T>();
  for (const one of all) {
    const first = byName.get(one.name);
    if (first) throw invalid(one, `${kind} ${one.name}`, `it is already in ${first.file}, line ${first.line}`);
    byName.set(one.name, one);
  }
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function invalid({ file, line }: Place, what: string, problem: string) {
  return declarationErrors.DECLARATION_INVALID({ file, line, what, problem });
}

/** Those of the room access, which is above this one. */
export const builtInRoleNames: readonly string[] = ["viewer", "operator", "admin"];
