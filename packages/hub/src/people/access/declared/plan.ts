// Plans the changes that make roles, bindings and robots as declared. Things that were never declared stay. Pure.
import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { type AccessBinding, type AccessRole, robotTokenTtlLimits } from "@fairlead/contract";
import type {
  Declarations,
  DeclaredBinding,
  DeclaredRobot,
  DeclaredRole,
  Finding,
  OwnedThing,
} from "../../../platform/declarations/index.ts";
import { type GrantChanges, isWholeAdmin, toBindingId, toBindingName } from "../grants/index.ts";
import type { RobotWithTokens } from "../robots/index.ts";

export interface AccessPlan extends GrantChanges {
  readonly putRobots: readonly RobotWithTokens[];
  readonly removeRobots: readonly string[];
  readonly findings: readonly Finding[];
}

export interface AccessPicture {
  readonly roles: readonly AccessRole[];
  readonly bindings: readonly AccessBinding[];
  readonly robots: readonly RobotWithTokens[];
}

export function planAccess(options: {
  readonly wanted: Declarations;
  readonly owned: readonly OwnedThing[];
  readonly now: AccessPicture;
  readonly nowMs: number;
}): AccessPlan {
  const { wanted, owned, now, nowMs } = options;
  const lost = (kind: OwnedThing["kind"], there: readonly { readonly name: string }[]): string[] =>
    owned.flatMap((one) => (one.kind === kind && !there.some(({ name }) => name === one.name) ? one.name : []));
  const findings: Finding[] = [];
  const roles = new Map(now.roles.map((role) => [role.name, role]));
  const bindings = new Map(now.bindings.map((binding) => [binding.id, binding]));
  const robots = new Map(now.robots.map((one) => [one.robot.name, one]));

  const putRoles = wanted.roles.map(toRole).filter((role) => note("Role", role.name, roles.get(role.name), role));
  const putRobots = wanted.robots
    .map((robot) => toRobot(robot, robots.get(robot.name), nowMs))
    .filter((one) => note("Robot", one.robot.name, robots.get(one.robot.name), one));
  const removeRobots = lost("Robot", wanted.robots).filter((name) => robots.has(name));
  const wantedBindings = wanted.bindings.map((one) => toBinding(one, bindings.get(toBindingId(one.name)), nowMs));
  const lostRoles = lost("Role", wanted.roles);
  const goneIds = new Set([
    ...lost("Binding", wanted.bindings).map(toBindingId),
    // The next robot of this name must not get the rights of the removed one.
    ...now.bindings.flatMap(({ id, subject }) =>
      subject.kind === "robot" && removeRobots.includes(subject.name) ? id : [],
    ),
    // What somebody granted for a time ends early rather than keep the role.
    ...now.bindings.flatMap(({ id, role, endsAt }) => (endsAt !== undefined && lostRoles.includes(role) ? id : [])),
  ]);
  const keptIds = keepAnAdmin(now.bindings, wantedBindings, goneIds);
  for (const id of keptIds) {
    findings.push({
      kind: "Binding",
      name: toBindingName(id),
      did: "kept",
      detail: "nobody else is admin of all clusters",
    });
  }
  const putBindings = wantedBindings.filter(
    (one) => !keptIds.has(one.id) && note("Binding", toBindingName(one.id), bindings.get(one.id), one),
  );
  const removeBindings = [...goneIds].filter((id) => bindings.has(id) && !keptIds.has(id));
  const left = [...now.bindings.filter(({ id }) => !removeBindings.includes(id)), ...putBindings];
  const removeRoles = lostRoles.filter((name) => {
    if (!roles.has(name)) return false;
    const users = left.filter(({ role, id }) => role === name && !putBindings.some((one) => one.id === id));
    if (users.length === 0) return true;
    const detail = `bindings that aren't declared name it: ${users
      .slice(0, 5)
      .map(({ id }) => id)
      .join(", ")}`;
    findings.push({ kind: "Role", name, did: "kept", detail });
    return false;
  });
  for (const name of removeRoles)
    findings.push({ kind: "Role", name, did: "removed", detail: "it isn't declared any more" });
  for (const name of removeRobots)
    findings.push({ kind: "Robot", name, did: "removed", detail: "it isn't declared any more" });
  for (const id of removeBindings) {
    const isTheirs = owned.some((one) => one.kind === "Binding" && toBindingId(one.name) === id);
    const detail = isTheirs ? "it isn't declared any more" : "its role or robot isn't declared any more";
    findings.push({ kind: "Binding", name: toBindingName(id), did: "removed", detail });
  }
  return { putRoles, removeRoles, putBindings, removeBindings, putRobots, removeRobots, findings };

  function note(kind: Finding["kind"], name: string, is: object | undefined, wants: object): boolean {
    if (is !== undefined && isDeepStrictEqual(toPlain(is), toPlain(wants))) return false;
    const isOwned = owned.some((one) => one.kind === kind && one.name === name);
    const detail = is !== undefined ? "it was otherwise" : isOwned ? "it was gone" : "it is new";
    findings.push({ kind, name, did: is === undefined ? "made" : "changed", detail });
    return true;
  }
}

/** The admins of all clusters that would be lost with nobody left. */
function keepAnAdmin(
  now: readonly AccessBinding[],
  wanted: readonly AccessBinding[],
  goneIds: ReadonlySet<string>,
): ReadonlySet<string> {
  const next = new Map(wanted.map((binding) => [binding.id, binding]));
  const left = now.filter(({ id }) => !goneIds.has(id)).map((binding) => next.get(binding.id) ?? binding);
  if ([...left, ...wanted].some(isWholeAdmin)) return new Set();
  return new Set(now.filter(isWholeAdmin).map(({ id }) => id));
}

function toRole({ name, description, hubRules = [], clusterRules = [], groups = [], mayImpersonate }: DeclaredRole) {
  const role: AccessRole = {
    name,
    isBuiltIn: false,
    hubRules,
    clusterRules,
    groups,
    ...(description === undefined ? {} : { description }),
    ...(mayImpersonate === undefined ? {} : { mayImpersonate }),
  };
  return role;
}

function toBinding(declared: DeclaredBinding, is: AccessBinding | undefined, nowMs: number): AccessBinding {
  const { name, subject, role, clusters, record } = declared;
  const made = is ?? { createdAt: new Date(nowMs).toISOString() };
  return {
    id: toBindingId(name),
    subject,
    role,
    clusters,
    record,
    createdAt: made.createdAt,
    createdBy: "declarations",
  };
}

/** Its uid and its tokens' ids come from what is declared, so that they are the same after a start from nothing. */
function toRobot({ name, description, tokens }: DeclaredRobot, is: RobotWithTokens | undefined, nowMs: number) {
  const createdMs = is?.robot.createdMs ?? nowMs;
  const uid = is?.robot.uid ?? `rob_${hash("sha256", `declared robot ${name}`).slice(0, 26)}`;
  const known = new Map(is?.tokens.map((token) => [token.id, token]));
  return {
    // Nobody made it: a declared robot counts as itself.
    robot: { name, uid, description, ttlMs: robotTokenTtlLimits.defaultMs, createdMs, madeBy: [] },
    tokens: tokens
      .map(({ sha256, expiresMs, scope }) => {
        // A token that is narrowed, or that another robot gets, is a new one: who used it before must sign in again.
        const id = `rbt_${hash("sha256", JSON.stringify([name, sha256, expiresMs, scope ?? null])).slice(0, 26)}`;
        const { createdMs: tokenMs, lastUsedMs } = known.get(id) ?? { createdMs: nowMs, lastUsedMs: undefined };
        return { id, robot: name, sha256, scope, createdMs: tokenMs, expiresMs, lastUsedMs, madeBy: [] };
      })
      .sort((a, b) => (a.id < b.id ? -1 : 1)),
  };
}

/** As the database gives it back. */
function toPlain(value: object): unknown {
  return JSON.parse(JSON.stringify(value));
}
