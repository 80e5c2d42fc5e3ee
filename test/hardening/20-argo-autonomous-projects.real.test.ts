// What a project of an autonomous cluster allows on the hub, as a stock argocd-server there reads it. Both sides are on one
// API server, which is the hub's own cluster for that Argo CD.
import { createHmac, randomUUID } from "node:crypto";
import { until } from "@fairlead/kernel/testing";
import { type ArgoHub, reservePorts, startArgoHub } from "@fairlead/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AutonomousHarness, openAutonomousHarness, there } from "../e2e/argo-autonomous-harness.fixture.ts";

const patience = { timeout: 60_000, interval: 50 };
/** A commit, which needs no look at the repository. */
const source = { repoURL: "https://git.example/a", path: "web", targetRevision: "a".repeat(40) };
const hubsOwn = { server: "https://kubernetes.default.svc", namespace: "default" };
let harness: AutonomousHarness;
let argo: ArgoHub;

beforeAll(async () => {
  harness = await openAutonomousHarness(async (cluster, undo) => {
    const [port] = undo.use(await reservePorts(1)).ports;
    const settings = { "accounts.mallory": "login" };
    argo = undo.use(await startArgoHub(cluster, { applicationNamespaces: ["edge"], settings }));
    return [
      "--listen",
      `127.0.0.1:${port}`,
      "--public-url",
      `https://127.0.0.1:${port}`,
      "--argo-cluster-secrets",
      "--argo-mirror-groups",
      "devs",
    ];
  });
  await harness.makeProject("shop", {
    sourceRepos: ["*"],
    destinations: [{ server: "*", namespace: "*" }],
    clusterResourceWhitelist: [{ group: "*", kind: "*" }],
    roles: [{ name: "dev", groups: ["devs", "everybody"], policies: [anything("shop")] }],
  });
  await harness.make("web", { spec: { project: "shop", source } });
  await until(async () => (await harness.mirror("web")) !== undefined, "the hub shows the application");
  await until(async () => (await harness.project("edge.shop")) !== undefined, "the hub shows the project");
}, 600_000);
afterAll(() => harness?.[Symbol.asyncDispose]());

describe("a member of a group that an autonomous cluster's project names", () => {
  test("could deploy to the hub's own cluster by a project whose destination is any server", async () => {
    await makeOnHub("edge-shop", {
      sourceRepos: ["*"],
      sourceNamespaces: ["edge"],
      destinations: [{ name: "edge", server: "*", namespace: "*" }],
      roles: [{ name: "dev", groups: ["devs"], policies: [anything("edge-shop")] }],
    });
    const created = await asMember("devs", "POST", "", application("reaches", "edge-shop", hubsOwn));
    expect([created.status, created.text]).toEqual([200, expect.stringContaining("reaches")]);
    expect(await harness.read("edge", "reaches")).toMatchObject({ spec: { destination: hubsOwn } });
  });

  test.each([
    ["the hub's own cluster", hubsOwn],
    ["the hub's own cluster by name", { name: "in-cluster", namespace: "default" }],
    ["the cluster itself", { name: "edge", namespace: "default" }],
  ])("can deploy nothing to %s", async (_what, destination) => {
    const { status } = await asMember("devs", "POST", "", application("refused", "edge.shop", destination));
    expect(status).toBe(403);
    expect(await harness.read("edge", "refused")).toBeUndefined();
  });

  test("sees the cluster's applications and has them synced, and changes and deletes none", async () => {
    expect((await asMember("devs", "GET", "/web?appNamespace=edge")).status).toBe(200);
    for (const [method, path, body] of [
      ["DELETE", "/web?appNamespace=edge", undefined],
      ["PUT", "/web/spec?appNamespace=edge&validate=false", { project: "edge.shop", source, destination: hubsOwn }],
      ["PATCH", "/web", { name: "web", appNamespace: "edge", patch: "{}", patchType: "merge" }],
    ] as const)
      expect([method, (await asMember("devs", method, path, body)).status]).toEqual([method, 403]);
    const synced = await asMember("devs", "POST", "/web/sync", { name: "web", appNamespace: "edge", prune: true });
    expect([synced.status, synced.text]).toEqual([200, expect.stringContaining("web")]);
    await expect
      .poll(() => harness.read(there, "web"), patience)
      .toMatchObject({ operation: { sync: { prune: true } } });
  });

  test("that the hub's administrator doesn't list sees nothing", async () => {
    expect((await asMember("everybody", "GET", "/web?appNamespace=edge")).status).toBe(403);
    expect((await asMember("everybody", "POST", "", application("refused", "edge.shop", hubsOwn))).status).toBe(403);
  });
});

test("no application of an autonomous cluster's project is for another cluster, whoever makes it", async () => {
  await makeClusterSecret("west");
  const { request } = argo.server;
  const create = (destination: object) =>
    request({ method: "POST", path, body: application("placed", "edge.shop", destination) });
  for (const destination of [
    hubsOwn,
    { name: "in-cluster", namespace: "default" },
    { name: "west", namespace: "default" },
    { server: "https://127.0.0.1:1/k8s/clusters/west", namespace: "default" },
  ]) {
    const { status, text } = await create(destination);
    expect([status, text]).toEqual([400, expect.stringContaining("do not match any of the allowed destinations")]);
  }
  await expect.poll(async () => (await create({ name: "edge", namespace: "default" })).status, patience).toBe(200);
});

const path = "/api/v1/applications?validate=false";

function anything(project: string): string {
  return `p, proj:${project}:dev, applications, *, ${project}/*, allow`;
}

function application(name: string, project: string, destination: object): object {
  return { metadata: { name, namespace: "edge" }, spec: { project, source, destination } };
}

/** As argocd-server signs it for somebody whom an identity provider said to be in the group. */
async function asMember(
  group: string,
  method: string,
  at: string,
  body?: object,
): Promise<{ readonly status: number; readonly text: string }> {
  const url = at === "" ? path : `/api/v1/applications${at}`;
  const response = await fetch(new URL(url, argo.server.url), {
    method,
    signal: AbortSignal.timeout(60_000),
    headers: { "content-type": "application/json", authorization: `Bearer ${await signToken(group)}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

async function signToken(group: string): Promise<string> {
  const { data } = await harness.cluster.api.json<{ data: Record<string, string> }>({
    path: "/api/v1/namespaces/argocd/secrets/argocd-secret",
  });
  const key = Buffer.from(data["server.secretkey"] ?? "", "base64");
  const now = Math.floor(Date.now() / 1_000);
  const claims = { iss: "argocd", sub: "mallory:login", jti: randomUUID(), iat: now, nbf: now, exp: now + 600 };
  const signed = [
    { alg: "HS256", typ: "JWT" },
    { ...claims, groups: [group] },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  return `${signed}.${createHmac("sha256", key).update(signed).digest("base64url")}`;
}

async function makeOnHub(name: string, spec: object): Promise<void> {
  const body = { apiVersion: "argoproj.io/v1alpha1", kind: "AppProject", metadata: { name }, spec };
  await harness.cluster.api.json({
    method: "POST",
    path: "/apis/argoproj.io/v1alpha1/namespaces/argocd/appprojects",
    body,
  });
}

async function makeClusterSecret(name: string): Promise<void> {
  const metadata = { name: `cluster-${name}`, labels: { "argocd.argoproj.io/secret-type": "cluster" } };
  const stringData = { name, server: `https://127.0.0.1:1/k8s/clusters/${name}`, config: "{}" };
  await harness.cluster.api.json({
    method: "POST",
    path: "/api/v1/namespaces/argocd/secrets",
    body: { metadata, stringData },
  });
}
