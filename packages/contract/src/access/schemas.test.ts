import { expect, test } from "vitest";
import { createHubClient, whoamiSchema } from "../index.ts";
import { createBindingRequestSchema } from "./binding.ts";
import { explainRequestSchema } from "./explain.ts";
import { createRobotTokenRequestSchema } from "./robot.ts";
import { putRoleRequestSchema } from "./role.ts";

const subject = { kind: "user", name: "alice@example.com" };

test.each([[{ names: ["east"] }], [{ selector: { matchLabels: { env: "prod" } } }], [{ all: true }]])(
  "a binding may choose clusters by %j",
  (clusters) => {
    expect(createBindingRequestSchema.parse({ subject, role: "viewer", clusters })).toMatchObject({ clusters });
  },
);

test.each([
  ["no cluster", { subject, role: "viewer", clusters: { names: [] } }],
  ["a selector without a label, which would be every cluster", selecting({})],
  ["two ways to choose clusters", { subject, role: "viewer", clusters: { all: true, names: ["east"] } }],
  ["all: false", { subject, role: "viewer", clusters: { all: false } }],
  ["a name with a line feed", { subject: { kind: "user", name: "a\nb" }, role: "viewer", clusters: { all: true } }],
  ["an empty name", { subject: { kind: "group", name: "" }, role: "viewer", clusters: { all: true } }],
  [
    "a blank at the end of the name",
    { subject: { kind: "user", name: "a " }, role: "viewer", clusters: { all: true } },
  ],
  [
    "a kind of subject that nobody knows",
    { subject: { kind: "team", name: "a" }, role: "viewer", clusters: { all: true } },
  ],
])("a binding with %s is refused", (_, body) => {
  expect(createBindingRequestSchema.safeParse(body).success).toBe(false);
});

test.each([
  ["pods", true],
  ["pods/exec", true],
  ["pods/*", true],
  ["*/proxy", true],
  ["*", true],
  ["Pods", false],
  ["pods/exec/x", false],
  ["", false],
  ["po*", false],
])("resource %j in a rule: %s", (resource, isGood) => {
  const body = { clusterRules: [{ verbs: ["get"], resources: [resource] }] };
  expect(putRoleRequestSchema.safeParse(body).success).toBe(isGood);
});

test("a question names one verb and one resource", () => {
  const base = { subject, verb: "get", resource: "deployments.apps", cluster: "east" };
  expect(explainRequestSchema.safeParse(base).success).toBe(true);
  expect(explainRequestSchema.safeParse({ ...base, verb: "*" }).success).toBe(false);
  expect(explainRequestSchema.safeParse({ ...base, resource: "*" }).success).toBe(false);
});

test("a robot's token lives for at most 366 days", () => {
  expect(createRobotTokenRequestSchema.safeParse({ ttlMs: 367 * 86_400_000 }).success).toBe(false);
  expect(createRobotTokenRequestSchema.safeParse({ ttlMs: 86_400_000, scope: { clusters: [] } }).success).toBe(false);
});

test("a hub that says no more than the name of who asks is understood", () => {
  expect(whoamiSchema.parse({ name: "admin" })).toEqual({
    name: "admin",
    kind: "admin-token",
    groups: [],
    bindings: [],
  });
});

test("polling a device gives a session or says to wait", async () => {
  const pending = { pending: true, intervalMs: 5000 };
  const client = createHubClient({
    baseUrl: "https://hub",
    fetch: () => Promise.resolve({ status: 202, text: () => Promise.resolve(JSON.stringify(pending)) }),
  });
  expect(await client.pollDevice({ deviceId: "dev_1" })).toEqual(pending);
});

function selecting(matchLabels: object): object {
  return { subject, role: "viewer", clusters: { selector: { matchLabels } } };
}
