// Applications of a managed cluster, with everything real: stock Argo CD beside the hub, whose CLI people use; Argo CD's
// controller in the cluster; a hub, an agent and a cable between them.
import {
  type ArgoHub,
  type ArgoRepository,
  applicationOf,
  createApiClient,
  type JoinedCluster,
  joinCluster,
  openArgoRepository,
  reservePorts,
  startArgoCluster,
  startArgoHub,
  startCluster,
  startHub,
  type TestCluster,
  type TestHub,
  type TestRedis,
} from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";

const undo = new AsyncDisposableStack();
let center: TestCluster;
let east: TestCluster;
let argoHub: ArgoHub;
let repository: ArgoRepository;
let hub: TestHub;
let joined: JoinedCluster;
let clusterRedis: TestRedis;

beforeAll(async () => {
  [center, east] = await Promise.all([startCluster({ name: "center" }), startCluster({ name: "east" })]);
  undo.use(center);
  undo.use(east);
  repository = undo.use(await openArgoRepository());
  await repository.commit({ files: { "web/web.yaml": configMap("one"), "run/run.yaml": deployment } });
  const { ports } = undo.use(await reservePorts(2));
  const endpoint = `127.0.0.1:${ports[0]}`;
  const serverArgs = ["--redis", endpoint];
  argoHub = undo.use(
    await startArgoHub(center, { applicationNamespaces: ["east"], applicationSets: true, serverArgs }),
  );
  ({ redis: clusterRedis } = undo.use(await startArgoCluster(east)));
  hub = undo.use(
    await startHub({
      args: [
        ...["--argo-kubeconfig", center.adminKubeconfig, "--argo-redis-listen", endpoint],
        ...["--argo-redis-upstream", `redis://${argoHub.redis.address}`, "--argo-cluster-secrets"],
        ...["--listen", `127.0.0.1:${ports[1]}`, "--public-url", `https://127.0.0.1:${ports[1]}`],
      ],
    }),
  );
  joined = undo.use(
    await joinCluster({
      ...{ hub, name: "east", roles: ["proxy", "gitops"], labels: { env: "prod" } },
      kubeconfig: east.adminKubeconfig,
      agentArgs: ["--argo-redis-address", clusterRedis.address],
    }),
  );
  await hub.cli(["cluster", "set", "east", "--gitops-mode", "managed"]);
});
afterAll(() => undo.disposeAsync());

test("an application made on the hub is synced in the cluster, and its state is seen on the hub", async () => {
  await create("web", { isAutomated: true });
  await expect.poll(listed, patience).toMatchObject({ "east/web": "Synced Healthy" });
  expect(await read(east, "argocd", "web")).toMatchObject({ spec: { destination: { name: "in-cluster" } } });
  expect(await readData("web")).toEqual({ value: "one" });
});

test("a sync that Argo CD's CLI asks for on the hub is run in the cluster once", async () => {
  await create("asked", { isAutomated: false });
  await expect.poll(listed, patience).toMatchObject({ "east/asked": "OutOfSync Missing" });
  await argoHub.cli.run(["app", "sync", "east/asked", "--timeout", "90"]);
  expect(await listed()).toMatchObject({ "east/asked": "Synced Healthy" });
  const { status } = await read(east, "argocd", "asked");
  expect(status?.history).toHaveLength(1);
});

test("Argo CD on the hub shows what an application has made in the cluster, and tells when that changes", async () => {
  await create("tree", { isAutomated: true });
  await expect.poll(listed, patience).toMatchObject({ "east/tree": "Synced Healthy" });
  const { status, text } = await argoHub.server.request({ path: treeOf("applications", "tree") });
  expect([status, text]).toEqual([200, expect.stringContaining('"kind":"ConfigMap"')]);
  expect((await argoHub.cli.run(["app", "resources", "east/tree"])).stdout).toContain("ConfigMap");
  expect(await argoHub.redis.run("keys", "app|*")).toBe("");
  await using stream = openTreeStream("tree");
  const channel = "app|managed-resources|tree|1.8.3";
  await expect.poll(() => clusterRedis.run("pubsub", "numsub", channel), patience).toBe(`${channel}\n1`);
  await argoHub.cli.run(["app", "get", "east/tree", "--refresh"]);
  expect(await stream.next()).toContain('"kind":"ConfigMap"');
  joined.cable.cut();
  joined.cable.heal();
  await argoHub.cli.run(["app", "get", "east/tree", "--refresh"]);
  expect(await stream.next()).toContain('"kind":"ConfigMap"');
});

test("Argo CD on the hub shows what an application has made, by an account that reaches nothing else", async () => {
  await letArgoEdit(east);
  await create("live", { isAutomated: true, server: `${hub.url}/k8s/clusters/east` });
  await expect.poll(listed, patience).toMatchObject({ "east/live": "Synced Healthy" });
  const path = `/api/v1/applications/live/resource?${new URLSearchParams({
    ...{ appNamespace: "east", project: "default", namespace: "live", resourceName: "web" },
    ...{ version: "v1", kind: "ConfigMap", group: "" },
  })}`;
  const shown = async () => await argoHub.server.request({ path });
  await expect.poll(async () => (await shown()).status, patience).toBe(200);
  expect((await shown()).text).toContain('\\"value\\":\\"one\\"');
  const secret = "/api/v1/namespaces/argocd/secrets/fairlead-cluster-east";
  const { data } = await center.api.json<{ data: { server: string; config: string } }>({ path: secret });
  const server = Buffer.from(data.server, "base64").toString();
  const { bearerToken } = JSON.parse(Buffer.from(data.config, "base64").toString()) as { bearerToken: string };
  using api = createApiClient({ url: server, caPem: hub.caPem, token: bearerToken });
  const ask = async (rest: string) => (await api.send({ path: `${new URL(server).pathname}${rest}` })).status;
  expect(await ask("/api/v1/namespaces/live/configmaps/web")).toBe(200);
  expect(await ask("/api/v1/namespaces/live/configmaps/kube-root-ca.crt")).toBe(403);
  expect(await ask("/api/v1/namespaces/live/configmaps")).toBe(403);
});

test("ResourceProxy_ResourceActions: an action that Argo CD's CLI runs on the hub is run on the object in the cluster", async () => {
  await create("acted", { isAutomated: true, server: `${hub.url}/k8s/clusters/east`, path: "run" });
  await expect.poll(listed, patience).toMatchObject({ "east/acted": expect.stringContaining("Synced") });
  const which = ["--kind", "Deployment", "--resource-name", "run"];
  const { stdout } = await argoHub.cli.run(["app", "actions", "list", "east/acted", ...which]);
  expect(stdout).toContain("restart");
  await argoHub.cli.run(["app", "actions", "run", "east/acted", "restart", ...which]);
  const path = "/apis/apps/v1/namespaces/acted/deployments/run";
  const { spec } = await east.api.json<{ spec: { template: { metadata: object } } }>({ path });
  expect(spec.template.metadata).toMatchObject({
    annotations: { "kubectl.kubernetes.io/restartedAt": expect.any(String) },
  });
});

test("ClusterInfo_Managed, ClusterCacheInfo: Argo CD's list of clusters has the counts of the cluster's own cache, and says while it is away since when", async () => {
  const here = { connectionState: { status: "Successful", message: "" } };
  const counts = { apisCount: expect.closeTo(50, -2), resourcesCount: expect.any(Number) };
  await expect.poll(shownCluster, patience).toMatchObject({ ...here, info: { ...here, cacheInfo: counts } });
  await create("counted", { isAutomated: true });
  await expect.poll(listed, patience).toMatchObject({ "east/counted": "Synced Healthy" });
  const applicationsCount = (await listNames(east, "argocd")).length;
  await expect.poll(shownCluster, patience).toMatchObject({ info: { applicationsCount } });
  joined.cable.cut();
  const away = { status: "Failed", message: expect.stringMatching(/^The agent is away since 2.*Z\.$/) };
  await expect.poll(shownCluster, patience).toMatchObject({
    ...{ connectionState: away, serverVersion: expect.stringMatching(/^v1\./) },
    info: { applicationsCount },
  });
  expect((await argoHub.cli.run(["cluster", "get", "east"])).stdout).toContain("away since");
  joined.cable.heal();
  await expect.poll(shownCluster, patience).toMatchObject({ ...here, info: { cacheInfo: counts } });
});

test("what is changed on both sides while the cable is cut is as on the hub when it is whole again", async () => {
  await create("cut", { isAutomated: true });
  await create("gone", { isAutomated: true });
  await expect.poll(listed, patience).toMatchObject({ "east/cut": "Synced Healthy", "east/gone": "Synced Healthy" });
  joined.cable.cut();
  await patch(center, "east", "cut", { spec: { source: { targetRevision: "HEAD" } } });
  await patch(east, "argocd", "cut", { spec: { source: { path: "elsewhere" } } });
  await remove(center, "east", "gone");
  joined.cable.heal();
  await expect
    .poll(async () => (await read(east, "argocd", "cut")).spec?.source, patience)
    .toMatchObject({ targetRevision: "HEAD", path: "web" });
  await expect.poll(() => exists(east, "argocd", "gone"), patience).toBe(false);
});

test("what is changed or deleted in the cluster is put back", async () => {
  await create("kept", { isAutomated: true });
  await expect.poll(listed, patience).toMatchObject({ "east/kept": "Synced Healthy" });
  const { uid } = (await read(east, "argocd", "kept")).metadata;
  await patch(east, "argocd", "kept", { spec: { source: { path: "elsewhere" } } });
  await expect
    .poll(async () => (await read(east, "argocd", "kept")).spec?.source, patience)
    .toMatchObject({ path: "web" });
  await remove(east, "argocd", "kept");
  await expect.poll(async () => (await tryRead(east, "argocd", "kept"))?.metadata.uid ?? uid, patience).not.toBe(uid);
});

test("applications of an ApplicationSet that chooses clusters by their labels go to the cluster, follow it, and go with it", async () => {
  const elements = (...names: readonly string[]) => ({ list: { elements: names.map((app) => ({ app })) } });
  const clusters = { clusters: { selector: { matchLabels: { env: "prod", "fairlead.dev/gitops-mode": "managed" } } } };
  const spec = (generator: object, path: string) => ({
    goTemplate: true,
    generators: [{ matrix: { generators: [clusters, generator] } }],
    template: {
      metadata: { name: "set-{{.app}}" },
      spec: {
        ...applicationOf({ name: "set-{{.app}}", server: "{{.server}}", repository, path, isAutomated: true }).spec,
      },
    },
  });
  const sets = "/apis/argoproj.io/v1alpha1/namespaces/east/applicationsets";
  const change = async (body: object) =>
    await center.api.json({ method: "PATCH", path: `${sets}/both`, body, contentType: "application/merge-patch+json" });
  const meta = { apiVersion: "argoproj.io/v1alpha1", kind: "ApplicationSet", metadata: { name: "both" } };
  const body = { ...meta, spec: spec(elements("one", "two"), "web") };
  await center.api.json({ method: "POST", path: sets, body });
  const synced = { "east/set-one": "Synced Healthy", "east/set-two": "Synced Healthy" };
  await expect.poll(listed, patience).toMatchObject(synced);
  expect((await read(center, "east", "set-one")).metadata.ownerReferences).toMatchObject([{ kind: "ApplicationSet" }]);
  const copy = await read(east, "argocd", "set-one");
  expect(copy).toMatchObject({ spec: { destination: { name: "in-cluster", namespace: "set-one" } } });
  expect(copy.metadata.ownerReferences).toBeUndefined();
  await change({ spec: spec(elements("one"), "web/.") });
  await expect
    .poll(async () => (await read(east, "argocd", "set-one")).spec?.source, patience)
    .toMatchObject({ path: "web/." });
  await expect.poll(() => exists(east, "argocd", "set-two"), patience).toBe(false);
  expect(await readData("set-two")).toBeUndefined();
  await center.api.json({ method: "DELETE", path: `${sets}/both` });
  await expect.poll(() => exists(east, "argocd", "set-one"), patience).toBe(false);
  await expect.poll(() => exists(center, "east", "set-one"), patience).toBe(false);
  expect(await readData("set-one")).toBeUndefined();
});

test("an application that is deleted with its objects takes them along, and goes on the hub last", async () => {
  await create("whole", { isAutomated: true });
  await expect.poll(listed, patience).toMatchObject({ "east/whole": "Synced Healthy" });
  await argoHub.cli.run(["app", "delete", "east/whole", "--yes"]);
  await expect.poll(() => exists(center, "east", "whole"), patience).toBe(false);
  expect(await exists(east, "argocd", "whole")).toBe(false);
  expect(await readData("whole")).toBeUndefined();
});

interface Seen {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly ownerReferences?: object[];
  };
  readonly spec?: { readonly source: object };
  readonly status?: {
    readonly sync?: { readonly status: string };
    readonly health?: { readonly status: string };
    readonly history?: readonly object[];
  };
}

interface ShownCluster {
  readonly name: string;
  readonly connectionState: object;
  readonly info: { readonly applicationsCount: number };
}

async function shownCluster(): Promise<ShownCluster | undefined> {
  return (await argoHub.cli.json<ShownCluster[]>(["cluster", "list"])).find(({ name }) => name === "east");
}

async function listNames(cluster: TestCluster, namespace: string): Promise<string[]> {
  const { items } = await cluster.api.json<{ items: Seen[] }>({ path: place(namespace) });
  return items.map(({ metadata }) => metadata.name);
}

async function create(
  name: string,
  options: { readonly isAutomated: boolean; readonly server?: string; readonly path?: string },
): Promise<void> {
  const body = applicationOf({ name, namespace: "east", repository, path: "web", ...options });
  await center.api.json({ method: "POST", path: place("east"), body });
}

async function listed(): Promise<Record<string, string>> {
  const found = await argoHub.cli.json<Seen[]>(["app", "list"]);
  return Object.fromEntries(
    found.map(({ metadata: { namespace, name }, status }) => [
      `${namespace}/${name}`,
      `${status?.sync?.status} ${status?.health?.status}`,
    ]),
  );
}

function treeOf(call: string, name: string): string {
  return `/api/v1/${call}/${name}/resource-tree?appNamespace=east&project=default`;
}

/** Gives what comes on the call that the UI keeps open for an application. Nothing does before something changes. */
function openTreeStream(name: string): AsyncDisposable & { next(): Promise<string> } {
  const leaving = new AbortController();
  const opening = open();
  opening.catch(() => undefined);
  return {
    next: async () => (await (await opening).next()).value ?? "",
    [Symbol.asyncDispose]: async () => leaving.abort(),
  };

  async function open(): Promise<AsyncIterator<string>> {
    const headers = { authorization: `Bearer ${await argoHub.server.signIn()}` };
    const url = new URL(treeOf("stream/applications", name), argoHub.server.url);
    const { body } = await fetch(url, { headers, signal: leaving.signal });
    if (!body) throw new Error("there is no answer");
    return body.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
  }
}

/** As the agent's chart does with `proxy.defaultGroups.argocd.enabled`. */
async function letArgoEdit(cluster: TestCluster): Promise<void> {
  const rbac = "rbac.authorization.k8s.io";
  const body = {
    metadata: { name: "fairlead-argocd" },
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "edit" },
    subjects: [{ apiGroup: rbac, kind: "Group", name: "fairlead:argocd" }],
  };
  await cluster.api.json({ method: "POST", path: `/apis/${rbac}/v1/clusterrolebindings`, body });
}

function read(cluster: TestCluster, namespace: string, name: string): Promise<Seen> {
  return cluster.api.json<Seen>({ path: place(namespace, name) });
}

async function tryRead(cluster: TestCluster, namespace: string, name: string): Promise<Seen | undefined> {
  const { status, text } = await cluster.api.send({ path: place(namespace, name) });
  return status === 200 ? (JSON.parse(text) as Seen) : undefined;
}

async function exists(cluster: TestCluster, namespace: string, name: string): Promise<boolean> {
  return (await tryRead(cluster, namespace, name)) !== undefined;
}

async function patch(cluster: TestCluster, namespace: string, name: string, body: object): Promise<void> {
  const contentType = "application/merge-patch+json";
  await cluster.api.json({ method: "PATCH", path: place(namespace, name), body, contentType });
}

async function remove(cluster: TestCluster, namespace: string, name: string): Promise<void> {
  await cluster.api.json({ method: "DELETE", path: place(namespace, name) });
}

async function readData(namespace: string): Promise<object | undefined> {
  const { status, text } = await east.api.send({ path: `/api/v1/namespaces/${namespace}/configmaps/web` });
  return status === 200 ? (JSON.parse(text) as { data: object }).data : undefined;
}

function place(namespace: string, name?: string): string {
  const collection = `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/applications`;
  return name === undefined ? collection : `${collection}/${name}`;
}

const deployment = JSON.stringify({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "run" },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: "run" } },
    template: { metadata: { labels: { app: "run" } }, spec: { containers: [{ name: "run", image: "run" }] } },
  },
});

function configMap(value: string): string {
  return JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" }, data: { value } });
}

const patience = { timeout: 60_000, interval: 250 };
