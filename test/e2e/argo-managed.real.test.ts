// Applications of a managed cluster, with everything real. First with the mapping by namespace, and then with the one by
// destination.
import { applicationOf, type ClusterAccess, createApiClient, joinCluster } from "@fairlead/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testLiveObjects } from "./argo-live-objects.fixture.ts";
import {
  exists,
  findApplication,
  listApplications,
  type ManagedHarness,
  openManagedHarness,
  patch,
  patience,
  readApplication,
  remove,
  treeOf,
} from "./argo-managed-harness.fixture.ts";
import { testOperations } from "./argo-operations.fixture.ts";
import { testTakeovers } from "./argo-takeovers.fixture.ts";

let harness: ManagedHarness;
beforeAll(async () => {
  harness = await openManagedHarness();
});
afterAll(() => harness?.[Symbol.asyncDispose]());

test("an application made on the hub is synced in the cluster, and its state is seen on the hub", async () => {
  await harness.create({ name: "web", isAutomated: true });
  await harness.untilStates({ "east/web": "Synced Healthy" });
  await expect.poll(harness.shown, patience).toMatchObject({ "east/web": "Synced Healthy" });
  expect(await readApplication(harness.east, "argocd", "web")).toMatchObject({
    spec: { destination: { name: "in-cluster" } },
  });
  expect(await harness.readData("web")).toEqual({ value: "one" });
});

test("a sync that Argo CD's CLI asks for on the hub is run in the cluster once", async () => {
  await harness.create({ name: "asked", isAutomated: false });
  await harness.untilStates({ "east/asked": "OutOfSync Missing" });
  await harness.argoHub.cli.run(["app", "sync", "east/asked", "--timeout", "90"]);
  expect(await harness.listed()).toMatchObject({ "east/asked": "Synced Healthy" });
  const { status } = await readApplication(harness.east, "argocd", "asked");
  expect(status?.history).toHaveLength(1);
});

test("Argo CD on the hub shows what an application has made in the cluster, and tells when that changes", async () => {
  await harness.create({ name: "tree", cluster: "east", isAutomated: true });
  await harness.untilStates({ "east/tree": "Synced Healthy" });
  const { status, text } = await harness.argoHub.server.request({ path: treeOf("applications", "east/tree") });
  expect([status, text]).toEqual([200, expect.stringContaining('"kind":"ConfigMap"')]);
  expect((await harness.argoHub.cli.run(["app", "resources", "east/tree"])).stdout).toContain("ConfigMap");
  expect(await harness.argoHub.redis.run("keys", "app|*")).toBe("");
  await using stream = harness.openTreeStream("east/tree");
  const channel = "app|managed-resources|tree|1.8.3";
  await expect.poll(() => harness.clusterRedis.run("pubsub", "numsub", channel), patience).toBe(`${channel}\n1`);
  await harness.argoHub.cli.run(["app", "get", "east/tree", "--refresh"]);
  expect(await stream.next()).toContain('"kind":"ConfigMap"');
  harness.joined.cable.cut();
  harness.joined.cable.heal();
  await harness.argoHub.cli.run(["app", "get", "east/tree", "--refresh"]);
  expect(await stream.next()).toContain('"kind":"ConfigMap"');
});

test("Argo CD on the hub shows what an application has made, by an account that reaches nothing else", async () => {
  await letArgoEdit(harness.east);
  await harness.create({ name: "live", isAutomated: true, server: `${harness.hub.url}/k8s/clusters/east` });
  await harness.untilStates({ "east/live": "Synced Healthy" });
  const path = `/api/v1/applications/live/resource?${new URLSearchParams({
    appNamespace: "east",
    project: "default",
    namespace: "live",
    resourceName: "web",
    version: "v1",
    kind: "ConfigMap",
    group: "",
  })}`;
  const shown = async () => await harness.argoHub.server.request({ path });
  await expect.poll(async () => (await shown()).status, patience).toBe(200);
  expect((await shown()).text).toContain('\\"value\\":\\"one\\"');
  const secret = "/api/v1/namespaces/argocd/secrets/fairlead-cluster-east";
  const { data } = await harness.center.api.json<{ data: { server: string; config: string } }>({ path: secret });
  const server = Buffer.from(data.server, "base64").toString();
  const { bearerToken } = JSON.parse(Buffer.from(data.config, "base64").toString()) as { bearerToken: string };
  using api = createApiClient({ url: server, caPem: harness.hub.caPem, token: bearerToken });
  const ask = async (rest: string) => (await api.send({ path: `${new URL(server).pathname}${rest}` })).status;
  expect(await ask("/api/v1/namespaces/live/configmaps/web")).toBe(200);
  expect(await ask("/api/v1/namespaces/live/configmaps/kube-root-ca.crt")).toBe(403);
  expect(await ask("/api/v1/namespaces/live/configmaps")).toBe(403);
});

test("ResourceProxy_ResourceActions: an action that Argo CD's CLI runs on the hub is run on the object in the cluster", async () => {
  await harness.create({
    name: "acted",
    isAutomated: true,
    server: `${harness.hub.url}/k8s/clusters/east`,
    path: "run",
  });
  await harness.untilStates({ "east/acted": expect.stringContaining("Synced") });
  const which = ["--kind", "Deployment", "--resource-name", "run"];
  const { stdout } = await harness.argoHub.cli.run(["app", "actions", "list", "east/acted", ...which]);
  expect(stdout).toContain("restart");
  await harness.argoHub.cli.run(["app", "actions", "run", "east/acted", "restart", ...which]);
  const path = "/apis/apps/v1/namespaces/acted/deployments/run";
  const { spec } = await harness.east.api.json<{ spec: { template: { metadata: object } } }>({ path });
  expect(spec.template.metadata).toMatchObject({
    annotations: { "kubectl.kubernetes.io/restartedAt": expect.any(String) },
  });
});

test("ClusterInfo_Managed, ClusterCacheInfo: Argo CD's list of clusters has the counts of the cluster's own cache, and says while it is away since when", async () => {
  const here = { connectionState: { status: "Successful", message: "" } };
  const counts = { apisCount: expect.closeTo(50, -2), resourcesCount: expect.any(Number) };
  await expect.poll(shownCluster, patience).toMatchObject({ ...here, info: { ...here, cacheInfo: counts } });
  await harness.create({ name: "counted", isAutomated: true });
  await harness.untilStates({ "east/counted": "Synced Healthy" });
  const applicationsCount = (await listApplications(harness.east, "argocd")).length;
  await expect.poll(shownCluster, patience).toMatchObject({ info: { applicationsCount } });
  harness.joined.cable.cut();
  const away = { status: "Failed", message: expect.stringMatching(/^The agent is away since 2.*Z\.$/) };
  await expect.poll(shownCluster, patience).toMatchObject({
    connectionState: away,
    serverVersion: expect.stringMatching(/^v1\./),
    info: { applicationsCount },
  });
  expect((await harness.argoHub.cli.run(["cluster", "get", "east"])).stdout).toContain("away since");
  harness.joined.cable.heal();
  await expect.poll(shownCluster, patience).toMatchObject({ ...here, info: { cacheInfo: counts } });
  expect((await harness.argoHub.cli.run(["cluster", "list"])).stdout).toMatch(/\beast\b.*\bSuccessful\b/);
});

test("what is changed on both sides while the cable is cut is as on the hub when it is whole again", async () => {
  await harness.create({ name: "cut", isAutomated: true });
  await harness.create({ name: "gone", isAutomated: true });
  await harness.untilStates({ "east/cut": "Synced Healthy", "east/gone": "Synced Healthy" });
  harness.joined.cable.cut();
  await patch(harness.center, "east", "cut", { spec: { source: { targetRevision: "HEAD" } } });
  await patch(harness.east, "argocd", "cut", { spec: { source: { path: "elsewhere" } } });
  await remove(harness.center, "east", "gone");
  harness.joined.cable.heal();
  await expect
    .poll(async () => (await readApplication(harness.east, "argocd", "cut")).spec?.source, patience)
    .toMatchObject({ targetRevision: "HEAD", path: "web" });
  await expect.poll(() => exists(harness.east, "argocd", "gone"), patience).toBe(false);
});

test("what is changed or deleted in the cluster is put back", async () => {
  await harness.create({ name: "kept", isAutomated: true });
  await harness.untilStates({ "east/kept": "Synced Healthy" });
  const { uid } = (await readApplication(harness.east, "argocd", "kept")).metadata;
  await patch(harness.east, "argocd", "kept", { spec: { source: { path: "elsewhere" } } });
  await expect
    .poll(async () => (await readApplication(harness.east, "argocd", "kept")).spec?.source, patience)
    .toMatchObject({ path: "web" });
  await remove(harness.east, "argocd", "kept");
  await expect
    .poll(async () => (await findApplication(harness.east, "argocd", "kept"))?.metadata.uid ?? uid, patience)
    .not.toBe(uid);
});

test("applications of an ApplicationSet that chooses clusters by their labels go to the cluster, follow it, and go with it", async () => {
  const elements = (...names: readonly string[]) => ({ list: { elements: names.map((app) => ({ app })) } });
  const clusters = { clusters: { selector: { matchLabels: { env: "prod", "fairlead.dev/gitops-mode": "managed" } } } };
  const spec = (generator: object, path: string) => {
    const to = { name: "set-{{.app}}", server: "{{.server}}", repository: harness.repository, path, isAutomated: true };
    const template = { metadata: { name: to.name }, spec: applicationOf(to).spec };
    return { goTemplate: true, generators: [{ matrix: { generators: [clusters, generator] } }], template };
  };
  const { api } = harness.center;
  const sets = "/apis/argoproj.io/v1alpha1/namespaces/east/applicationsets";
  const change = async (body: object) =>
    await api.json({ method: "PATCH", path: `${sets}/both`, body, contentType: "application/merge-patch+json" });
  const meta = { apiVersion: "argoproj.io/v1alpha1", kind: "ApplicationSet", metadata: { name: "both" } };
  await api.json({ method: "POST", path: sets, body: { ...meta, spec: spec(elements("one", "two"), "web") } });
  await harness.untilStates({ "east/set-one": "Synced Healthy", "east/set-two": "Synced Healthy" });
  const made = await readApplication(harness.center, "east", "set-one");
  expect(made.metadata.ownerReferences).toMatchObject([{ kind: "ApplicationSet" }]);
  const copy = await readApplication(harness.east, "argocd", "set-one");
  expect(copy).toMatchObject({ spec: { destination: { name: "in-cluster", namespace: "set-one" } } });
  expect(copy.metadata.ownerReferences).toBeUndefined();
  await change({ spec: spec(elements("one"), "web/.") });
  await expect
    .poll(async () => (await readApplication(harness.east, "argocd", "set-one")).spec?.source, patience)
    .toMatchObject({ path: "web/." });
  await expect.poll(() => exists(harness.east, "argocd", "set-two"), patience).toBe(false);
  expect(await harness.readData("set-two")).toBeUndefined();
  await api.json({ method: "DELETE", path: `${sets}/both` });
  await expect.poll(() => exists(harness.east, "argocd", "set-one"), patience).toBe(false);
  await expect.poll(() => exists(harness.center, "east", "set-one"), patience).toBe(false);
  expect(await harness.readData("set-one")).toBeUndefined();
});

test("an application that is deleted with its objects takes them along, and goes on the hub last", async () => {
  await harness.create({ name: "whole", isAutomated: true });
  await harness.untilStates({ "east/whole": "Synced Healthy" });
  await harness.argoHub.cli.run(["app", "delete", "east/whole", "--yes"]);
  await expect.poll(() => exists(harness.center, "east", "whole"), patience).toBe(false);
  expect(await exists(harness.east, "argocd", "whole")).toBe(false);
  expect(await harness.readData("whole")).toBeUndefined();
});

describe("live objects", () => testLiveObjects(() => harness));

describe("operations", () => testOperations(() => harness));

describe("takeovers", () => testTakeovers(() => harness));

describe("DestinationMapping", () => {
  let before: unknown[];
  beforeAll(async () => {
    await harness.create({ name: "stays", isAutomated: true });
    await harness.create({ name: "owned", cluster: "east", isAutomated: true });
    await harness.untilStates({ "east/stays": "Synced Healthy", "east/owned": "Synced Healthy" });
    before = await copies();
    await harness.hub.cli(["cluster", "set", "east", "--gitops-mapping", "destination"]);
    await harness.create({ name: "first", namespace: "team", cluster: "east", isAutomated: true });
    await harness.create({ name: "own", namespace: "argocd", cluster: "east", isAutomated: true });
    await harness.create({ name: "mine", namespace: "argocd", isAutomated: true });
    await harness.untilStates({ "team/first": "Synced Healthy", "argocd/own": "Synced Healthy" });
  });

  test("switching to it deletes, makes and syncs nothing anew, of what is the cluster's by it and of what isn't", async () => {
    await expect
      .poll(() => findApplication(harness.east, "argocd", "owned"), patience)
      .toMatchObject({ metadata: { annotations: { [remapped]: "east" } } });
    expect((await readApplication(harness.east, "argocd", "stays")).metadata.annotations).not.toHaveProperty(remapped);
    expect(await copies()).toEqual(expect.arrayContaining(before));
  });

  test("AppCreatedInOriginalNamespace: an application keeps its namespace, and one of Argo CD's own is in Argo CD's own", async () => {
    const [first, own] = [
      await readApplication(harness.east, "team", "first"),
      await readApplication(harness.east, "argocd", "own"),
    ];
    expect(first.spec?.destination).toEqual({ name: "in-cluster", namespace: "first" });
    expect(own.metadata.annotations?.[remapped]).toBe("argocd");
    expect(await harness.readData("first")).toEqual({ value: "one" });
    expect(await exists(harness.east, "argocd", "mine")).toBe(false);
    expect(await exists(harness.center, "argocd", "mine")).toBe(true);
  });

  test("AppProjectSync: a project for the cluster keeps the namespaces that it is open to", async () => {
    const project = { apiVersion: "argoproj.io/v1alpha1", kind: "AppProject", metadata: { name: "shop" } };
    const spec = { sourceRepos: ["*"], sourceNamespaces: ["team"], destinations: [{ name: "east", namespace: "*" }] };
    await harness.center.api.json({ method: "POST", path: projects, body: { ...project, spec } });
    const copy = async () =>
      JSON.parse((await harness.east.api.send({ path: `${projects}/shop` })).text) as { spec?: object };
    const destinations = [{ name: "in-cluster", server: "https://kubernetes.default.svc", namespace: "*" }];
    await expect
      .poll(async () => (await copy()).spec, patience)
      .toMatchObject({ sourceNamespaces: ["team"], destinations });
    await harness.center.api.json({ method: "DELETE", path: `${projects}/shop` });
    await expect.poll(async () => (await copy()).spec, patience).toBeUndefined();
  });

  test("RefreshPropagation: a refresh on the hub is done in the cluster, and is over on both sides then", async () => {
    const { status } = await readApplication(harness.center, "team", "first");
    // Argo CD tells the second alone, and two reconciliations may be in one.
    await expect.poll(() => Date.now() - Date.parse(status?.reconciledAt ?? ""), patience).toBeGreaterThan(1_000);
    await harness.argoHub.cli.run(["app", "get", "team/first", "--refresh"]);
    await expect
      .poll(async () => (await readApplication(harness.center, "team", "first")).status?.reconciledAt, patience)
      .not.toBe(status?.reconciledAt);
    for (const cluster of [harness.center, harness.east])
      expect((await readApplication(cluster, "team", "first")).metadata.annotations).not.toHaveProperty(
        "argocd.argoproj.io/refresh",
      );
  });

  test("SyncOperation: a sync that is asked for on the hub is run in the cluster once", async () => {
    await harness.create({ name: "by-hand", namespace: "team", cluster: "east" });
    await harness.untilStates({ "team/by-hand": "OutOfSync Missing" });
    await harness.argoHub.cli.run(["app", "sync", "team/by-hand", "--timeout", "90"]);
    expect(await harness.listed()).toMatchObject({ "team/by-hand": "Synced Healthy" });
    expect((await readApplication(harness.east, "team", "by-hand")).status?.history).toHaveLength(1);
  });

  test("RedisProxy: Argo CD on the hub shows what an application has made, and tells when that changes", async () => {
    for (const application of ["team/first", "argocd/own"]) {
      const { status, text } = await harness.argoHub.server.request({ path: treeOf("applications", application) });
      expect([status, text]).toEqual([200, expect.stringContaining('"kind":"ConfigMap"')]);
    }
    await using stream = harness.openTreeStream("team/first");
    const channel = "app|managed-resources|team_first|1.8.3";
    await expect.poll(() => harness.clusterRedis.run("pubsub", "numsub", channel), patience).toBe(`${channel}\n1`);
    await harness.argoHub.cli.run(["app", "get", "team/first", "--refresh"]);
    expect(await stream.next()).toContain('"kind":"ConfigMap"');
  });

  test("CascadeDelete: an application that is deleted with its objects takes them along, and goes on the hub last", async () => {
    await harness.argoHub.cli.run(["app", "delete", "team/first", "--yes"]);
    await expect.poll(() => exists(harness.center, "team", "first"), patience).toBe(false);
    expect(await exists(harness.east, "team", "first")).toBe(false);
    expect(await harness.readData("first")).toBeUndefined();
  });

  test("an application with another destination moves there with what it deployed, and with the hub's own stays on the hub", async () => {
    await harness.center.api.json({
      method: "POST",
      path: "/api/v1/namespaces",
      body: { metadata: { name: "west-argo" } },
    });
    await using _west = await joinCluster({
      hub: harness.hub,
      name: "west",
      roles: ["gitops"],
      kubeconfig: harness.center.adminKubeconfig,
      agentArgs: ["--argo-namespace", "west-argo"],
    });
    await harness.hub.cli(["cluster", "set", "west", "--gitops-mode", "managed", "--gitops-mapping", "destination"]);
    await patch(harness.center, "argocd", "own", { metadata: { finalizers: [finalizer] } });
    await expect
      .poll(async () => (await readApplication(harness.east, "argocd", "own")).metadata.finalizers, patience)
      .toEqual([finalizer]);
    await patch(harness.center, "argocd", "own", { spec: { destination: { name: "west" } } });
    await expect.poll(() => exists(harness.center, "west-argo", "own"), patience).toBe(true);
    await expect.poll(() => exists(harness.east, "argocd", "own"), patience).toBe(false);
    expect(await harness.readData("own")).toBeUndefined();
    // No Argo CD is there that would prune.
    await patch(harness.center, "argocd", "own", { metadata: { finalizers: null } });
    await expect
      .poll(async () => (await readApplication(harness.center, "west-argo", "own")).metadata.finalizers, patience)
      .toBeUndefined();
    await patch(harness.center, "argocd", "own", { spec: { destination: { name: "in-cluster" } } });
    await expect.poll(() => exists(harness.center, "west-argo", "own"), patience).toBe(false);
    expect((await readApplication(harness.center, "argocd", "own")).metadata).not.toHaveProperty("deletionTimestamp");
  });
});

interface ShownCluster {
  readonly name: string;
  readonly connectionState: object;
  readonly info: { readonly applicationsCount: number };
}

async function shownCluster(): Promise<ShownCluster | undefined> {
  const { text } = await harness.argoHub.server.request({ path: "/api/v1/clusters" });
  return (JSON.parse(text) as { items?: ShownCluster[] }).items?.find(({ name }) => name === "east");
}

/** Which there are in Argo CD's namespace of the cluster, and how often each was synced. */
async function copies(): Promise<unknown[]> {
  const found = await listApplications(harness.east, "argocd");
  return found.map(({ metadata: { name, uid }, status }) => [name, uid, status?.history?.length]);
}

/** As the agent's chart does with `proxy.defaultGroups.argocd.enabled`. */
async function letArgoEdit(cluster: ClusterAccess): Promise<void> {
  const rbac = "rbac.authorization.k8s.io";
  const body = {
    metadata: { name: "fairlead-argocd" },
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "edit" },
    subjects: [{ apiGroup: rbac, kind: "Group", name: "fairlead:argocd" }],
  };
  await cluster.api.json({ method: "POST", path: `/apis/${rbac}/v1/clusterrolebindings`, body });
}

const projects = "/apis/argoproj.io/v1alpha1/namespaces/argocd/appprojects";
const remapped = "fairlead.dev/namespace-remapped";
const finalizer = "resources-finalizer.argocd.argoproj.io";
