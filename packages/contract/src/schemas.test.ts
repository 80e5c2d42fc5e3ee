import { expect, test } from "vitest";
import { clusterSchema } from "./cluster.ts";
import { createClusterRequestSchema } from "./cluster-requests.ts";
import { createCommandRequestSchema } from "./commands/index.ts";
import { createJoinTokenRequestSchema } from "./join.ts";

const cluster = {
  name: "east",
  labels: { env: "prod", "example.com/tier": "" },
  state: "connected",
  stateSince: "2026-01-02T03:04:05.678Z",
  roles: ["proxy"],
  createdAt: "2026-01-02T03:04:05Z",
};

test("a cluster without the members that come with its first connection is whole", () => {
  expect(clusterSchema.parse(cluster)).toEqual(cluster);
});

test("members that a newer hub adds to an answer are dropped rather than refused", () => {
  expect(clusterSchema.parse({ ...cluster, moodRing: "blue" })).toEqual(cluster);
});

test.each(["East", "-a", "a-", "a.b", "a/b", "..", "", "a".repeat(64)])("%j is no cluster name", (name) => {
  expect(createClusterRequestSchema.safeParse({ name }).success).toBe(false);
});

test.each([
  ["an option that nobody knows", { name: "east", role: "proxy" }],
  ["no role", { name: "east", roles: [] }],
  ["a role twice", { name: "east", roles: ["proxy", "proxy"] }],
  ["an unknown role", { name: "east", roles: ["admin"] }],
  ["a label that Kubernetes wouldn't take", { name: "east", labels: { "a b": "c" } }],
  ["65 labels", { name: "east", labels: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`l${i}`, ""])) }],
  ["a token for longer than a week", { name: "east", tokenTtlMs: 604_800_001 }],
  ["half a millisecond", { name: "east", tokenTtlMs: 1000.5 }],
])("a request with %s is refused", (_, body) => {
  expect(createClusterRequestSchema.safeParse(body).success).toBe(false);
});

test("a join token can be asked for without saying anything about it", () => {
  expect(createJoinTokenRequestSchema.parse({})).toEqual({});
});

const release = { release: "web", chart: { files: { "Chart.yaml": "" } } };
const configuration = { name: "net", source: { files: { "main.tf": "" } } };

test.each([
  ["helm", release],
  ["tofu", configuration],
])("a %s command names the Secrets that its programs read", (kind, spec) => {
  const isTaken = (readableSecrets: unknown): boolean =>
    createCommandRequestSchema.safeParse({ cluster: "east", kind, spec: { ...spec, readableSecrets } }).success;
  expect(isTaken(["shop/database", "shop/tls.example.com"])).toBe(true);
  for (const wrong of ["shop/database", ["database"], ["shop/a/b"], Array.from({ length: 51 }, () => "shop/database")])
    expect(isTaken(wrong)).toBe(false);
});
