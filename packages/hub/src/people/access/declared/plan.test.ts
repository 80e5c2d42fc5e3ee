import type { AccessBinding, AccessRole } from "@fairlead/contract";
import { expect, it, test } from "vitest";
import { builtInRoleNames } from "../../../platform/declarations/collect.ts";
import type { Declarations, DeclaredBinding, OwnedThing } from "../../../platform/declarations/index.ts";
import { builtInRoles } from "../grants/built-in-roles.ts";
import { type AccessPicture, planAccess } from "./plan.ts";

const place = { file: "rights.yaml", line: 1 };
const nothing: Declarations = { clusters: [], roles: [], bindings: [], robots: [], limits: undefined };
const empty: AccessPicture = { roles: [], bindings: [], robots: [] };
const token = { sha256: "a".repeat(64), expiresMs: 10_000 };

function binding(name: string, more: Partial<DeclaredBinding> = {}): DeclaredBinding {
  const subject = { kind: "user", name: "ann" } as const;
  return { ...place, name, subject, role: "viewer", clusters: { all: true }, record: false, ...more };
}

function owned(kind: OwnedThing["kind"], name: string): OwnedThing {
  return { kind, name, file: "rights.yaml", withdrawnMs: undefined };
}

function plan(wanted: Partial<Declarations>, now: Partial<AccessPicture> = {}, things: readonly OwnedThing[] = []) {
  return planAccess({ wanted: { ...nothing, ...wanted }, now: { ...empty, ...now }, owned: things, nowMs: 5 });
}

function byApi(id: string, more: Partial<AccessBinding> = {}): AccessBinding {
  const rest = { clusters: { all: true as const }, createdAt: "2030-01-01T00:00:00.000Z", createdBy: "admin" };
  return { id, subject: { kind: "admin-token", name: "admin" }, role: "admin", ...rest, ...more };
}

it("makes what is new, and nothing when it is there", () => {
  const wanted = {
    roles: [{ ...place, name: "reader", groups: ["readers"] }],
    robots: [{ ...place, name: "ci", tokens: [token] }],
    bindings: [binding("ann")],
  };
  const first = plan(wanted);
  expect(first.findings.map(({ kind, did }) => `${kind} ${did}`)).toEqual(["Role made", "Robot made", "Binding made"]);
  expect(first.putBindings).toMatchObject([{ id: "declared-ann" }]);
  const now = { roles: first.putRoles, bindings: first.putBindings, robots: first.putRobots };
  expect(plan(wanted, now).findings).toEqual([]);
});

it("puts right what was changed, and gives a token with another scope another id", () => {
  const robots = (scope?: { clusters: string[] }) => [{ ...place, name: "ci", tokens: [{ ...token, scope }] }];
  const { putRobots, putBindings } = plan({ robots: robots(), bindings: [binding("ann")] });
  const now = { robots: putRobots, bindings: putBindings };
  const changed = plan(
    { robots: robots({ clusters: ["east"] }), bindings: [binding("ann", { role: "operator" })] },
    now,
  );
  expect(changed.findings.map(({ kind, did }) => `${kind} ${did}`)).toEqual(["Robot changed", "Binding changed"]);
  expect(changed.putRobots[0]?.tokens[0]?.id).not.toBe(putRobots[0]?.tokens[0]?.id);
  expect(changed.putRobots[0]?.robot.uid).toBe(putRobots[0]?.robot.uid);
});

it("takes away only what was declared, with the bindings of a robot that goes", () => {
  const { putRobots, putBindings } = plan({
    robots: [{ ...place, name: "ci", tokens: [] }],
    bindings: [binding("ann")],
  });
  const ofRobot = byApi("bnd_1", { subject: { kind: "robot", name: "ci" }, role: "viewer" });
  const other = byApi("bnd_2", { subject: { kind: "user", name: "bob" } });
  const now = { robots: putRobots, bindings: [...putBindings, ofRobot, other], roles: [role("handmade")] };
  const gone = plan({}, now, [owned("Robot", "ci"), owned("Binding", "ann")]);
  expect(gone.removeRobots).toEqual(["ci"]);
  expect(gone.removeBindings).toEqual(["declared-ann", "bnd_1"]);
  expect(gone.removeRoles).toEqual([]);
  // Another hub starts with the same files, on a store that has forgotten which things were declared.
  expect(plan({}, now).findings).toEqual([]);
});

it("keeps a role that others have bound, and says so", () => {
  const bound = byApi("bnd_1", { role: "reader" });
  const now = { roles: [role("reader")], bindings: [bound, byApi("bnd_0")] };
  const { removeRoles, findings } = plan({}, now, [owned("Role", "reader")]);
  expect(removeRoles).toEqual([]);
  expect(findings).toMatchObject([{ kind: "Role", did: "kept", detail: expect.stringContaining("bnd_1") }]);
});

it("never takes the last admin of all clusters away", () => {
  const admin = binding("boss", { role: "admin" });
  const { putBindings } = plan({ bindings: [admin] });
  const things = [owned("Binding", "boss")];
  const kept = plan({}, { bindings: putBindings }, things);
  expect(kept.removeBindings).toEqual([]);
  expect(kept.findings).toMatchObject([{ name: "boss", did: "kept" }]);
  expect(plan({ bindings: [binding("boss")] }, { bindings: putBindings }, things).putBindings).toEqual([]);
  const next = plan({ bindings: [binding("next", { role: "admin" })] }, { bindings: putBindings }, things);
  expect(next.removeBindings).toEqual(["declared-boss"]);
});

test("the names that no declared role may have are those of the built-in ones", () => {
  expect(builtInRoleNames).toEqual(builtInRoles.map(({ name }) => name));
});

function role(name: string): AccessRole {
  return { name, isBuiltIn: false, hubRules: [], clusterRules: [], groups: [] };
}
