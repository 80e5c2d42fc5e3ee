// Bindings choose clusters by their labels: whoever may change labels must not give by them what they lack.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type AccessHarness, startAccess } from "./access-harness.fixture.ts";
import type { Principal } from "./index.ts";

const hourMs = 3_600_000;
let harness: AccessHarness;
beforeAll(async () => {
  harness = await startAccess();
  await asAdmin("PUT /api/v1/roles/labeller", { hubRules: [{ verbs: ["update"], resources: ["clusters"] }] });
});
afterAll(() => harness[Symbol.asyncDispose]());
beforeEach(async () => {
  harness.labels.set("east", { env: "test" });
  for (const { id } of harness.access.grants.bindings())
    if (!(await isAdminToken(id))) await asAdmin(`DELETE /api/v1/bindings/${id}`);
});

describe("nobody gets a right by a label that they set", () => {
  it("for themselves, by their own binding to clusters with the label", async () => {
    const mallory = await signIn("mallory", ["labeller"]);
    await bind("mallory", "admin", { selector: { matchLabels: { env: "prod" } } });
    await expect(relabel(mallory, { env: "prod" })).rejects.toMatchObject({ code: "ACCESS_ESCALATION" });
  });

  it("for others", async () => {
    const mallory = await signIn("mallory", ["labeller", "viewer"]);
    await bind("friend", "operator", { selector: { matchLabels: { env: "prod" } } });
    await expect(relabel(mallory, { env: "prod" })).rejects.toMatchObject({ code: "ACCESS_ESCALATION" });
    expect(await relabel(mallory, { env: "other" })).toBe("made");
  });

  it("by taking the cluster out of one label and into another in one step", async () => {
    const mallory = await signIn("mallory", ["labeller"]);
    await bind("mallory", "operator", { selector: { matchLabels: { env: "test" } } });
    await bind("mallory", "admin", { selector: { matchLabels: { tier: "1" } } });
    await expect(relabel(mallory, { tier: "1" })).rejects.toMatchObject({ code: "ACCESS_ESCALATION" });
  });

  it("for longer than they have it themselves", async () => {
    const brief = await signIn("brief", ["labeller"]);
    await bind("brief", "viewer", { all: true }, { ttlMs: hourMs });
    await bind("friend", "viewer", { selector: { matchLabels: { env: "prod" } } });
    await expect(relabel(brief, { env: "prod" })).rejects.toMatchObject({ code: "ACCESS_ESCALATION" });
  });

  it("with a token that is limited", async () => {
    await bind("friend", "viewer", { selector: { matchLabels: { env: "prod" } } });
    await asAdmin("POST /api/v1/robots", { name: "narrow" });
    await asAdmin("POST /api/v1/bindings", bindingOf("robot", "narrow", "admin", { all: true }));
    const scope = { clusters: ["east"] };
    const { body } = await asAdmin("POST /api/v1/robots/narrow/tokens", { ttlMs: hourMs, scope });
    const robot = await harness.access.authenticate(`Bearer ${body.token}`);
    await expect(relabel(robot, { env: "prod" })).rejects.toMatchObject({ code: "ACCESS_ESCALATION" });
  });
});

describe("labels are changed", () => {
  it("by who has by the former labels what the new ones give", async () => {
    const alice = await signIn("alice", ["labeller"]);
    await bind("alice", "operator", { selector: { matchLabels: { env: "test" } } });
    await bind("friend", "viewer", { selector: { matchLabels: { env: "prod" } } });
    // An operator's groups aren't a viewer's, so that what is given is a role without any.
    await expect(relabel(alice, { env: "prod" })).rejects.toMatchObject({ code: "ACCESS_ESCALATION" });
    await bind("alice", "viewer", { names: ["east"] });
    expect(await relabel(alice, { env: "prod" })).toBe("made");
  });

  it("by an admin of everything, whatever they give", async () => {
    await bind("friend", "admin", { selector: { matchLabels: { env: "prod" } } });
    const admin = await harness.access.authenticate(`Bearer ${harness.adminToken}`);
    expect(await relabel(admin, { env: "prod" })).toBe("made");
  });

  it("so that who is chosen before and after needs nothing new", async () => {
    const alice = await signIn("alice", ["labeller"]);
    await bind("friend", "admin", { selector: { matchLabels: { env: "test" } } });
    expect(await relabel(alice, { env: "test", more: "1" })).toBe("made");
    expect(await relabel(alice, {})).toBe("made");
  });
});

describe("nobody escapes a recording by a label", () => {
  it("when they would be left with the same unrecorded", async () => {
    const alice = await signIn("alice", ["labeller"]);
    await bind("alice", "operator", { selector: { matchLabels: { env: "test" } } }, { record: true });
    await bind("alice", "operator", { names: ["east"] });
    await expect(relabel(alice, {})).rejects.toMatchObject({ code: "ACCESS_UNRECORDED" });
    await expect(relabel(alice, { env: "other" })).rejects.toMatchObject({ code: "ACCESS_UNRECORDED" });
    expect(await relabel(alice, { env: "test", more: "1" })).toBe("made");
  });

  it("when the new label brings the same unrecorded, nor gives it to others", async () => {
    const alice = await signIn("alice", ["labeller"]);
    await bind("alice", "operator", { selector: { matchLabels: { env: "test" } } }, { record: true });
    await bind("alice", "operator", { selector: { matchLabels: { env: "prod" } } });
    await expect(relabel(alice, { env: "prod" })).rejects.toMatchObject({ code: "ACCESS_UNRECORDED" });
  });

  it("but who isn't recorded may, and who loses all by it", async () => {
    const alice = await signIn("alice", ["labeller"]);
    await bind("alice", "operator", { selector: { matchLabels: { env: "test" } } }, { record: true });
    expect(await relabel(alice, {})).toBe("made");
    await bind("friend", "operator", { names: ["east"] });
    const admin = await harness.access.authenticate(`Bearer ${harness.adminToken}`);
    expect(await relabel(admin, {})).toBe("made");
  });
});

function relabel(by: Principal, after: Readonly<Record<string, string>>): Promise<string> {
  const before = harness.labels.get("east") ?? {};
  return harness.access.changeLabels(by, { name: "east", before, after }, async () => "made");
}

async function signIn(name: string, roles: readonly string[]): Promise<Principal> {
  for (const role of roles) await bind(name, role, { all: true });
  return (await harness.signIn(name)).principal;
}

function bindingOf(kind: string, name: string, role: string, clusters: object, more: object = {}): object {
  return { subject: { kind, name }, role, clusters, ...more };
}

async function bind(name: string, role: string, clusters: object, more: object = {}): Promise<void> {
  const { status, body } = await asAdmin("POST /api/v1/bindings", bindingOf("user", name, role, clusters, more));
  if (status !== 201) throw new Error(JSON.stringify(body));
}

async function isAdminToken(id: string): Promise<boolean> {
  return harness.access.grants.bindings().some((one) => one.id === id && one.subject.kind === "admin-token");
}

function asAdmin(line: string, body?: object) {
  return harness.call(harness.adminToken, line, body);
}
