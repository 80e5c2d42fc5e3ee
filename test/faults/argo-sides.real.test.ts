// Faults on either side of a managed cluster's applications. One API server has both sides; the hub and the agent each
// reach it through a cable of their own, the agent as an account with the rights of its chart.
import {
  type Cable,
  type ClusterAccess,
  createNamespace,
  type JoinedCluster,
  joinCluster,
  prepareArgoCrds,
  sharedCluster,
  startCable,
  startHub,
  type TestHub,
} from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";

const patience = { timeout: 60_000, interval: 100 };
const undo = new AsyncDisposableStack();
let cluster: ClusterAccess;
let hub: TestHub;
let joined: JoinedCluster;
/** On the hub, and the cluster's name. */
let east: string;
/** In the cluster. */
let there: string;
let hubsCable: Cable;
let agentsCable: Cable;

beforeAll(async () => {
  cluster = await sharedCluster();
  await prepareArgoCrds(cluster);
  const make = async (prefix: string) => undo.use(await createNamespace(cluster, prefix)).name;
  [east, there] = [await make("east"), await make("argo")];
  const { hostname: host, port } = new URL(cluster.url);
  const lay = async () => undo.use(await startCable({ to: { host, port: Number(port) } }));
  [hubsCable, agentsCable] = [await lay(), await lay()];
  const urlOf = (cable: Cable) => `https://127.0.0.1:${cable.port}`;
  const hubsConfig = await cluster.kubeconfigForUser({
    user: `hub-${east}`,
    groups: ["system:masters"],
    url: urlOf(hubsCable),
  });
  await grant();
  const kubeconfig = await cluster.kubeconfigForUser({ user: agentsUser(), url: urlOf(agentsCable) });
  hub = undo.use(
    await startHub({ args: ["--argo-kubeconfig", hubsConfig, "--argo-namespace", await make("hub-argo")] }),
  );
  const agentArgs = ["--argo-namespace", there];
  joined = undo.use(await joinCluster({ hub, name: east, roles: ["gitops"], kubeconfig, agentArgs }));
  await hub.cli(["cluster", "set", east, "--gitops-mode", "managed"]);
}, 300_000);
afterAll(() => undo.disposeAsync());

test("while the hub's API server is away the cluster keeps its copies as they are, and gets what came meanwhile", async () => {
  await make("shop");
  await expect.poll(() => pathOf(there, "shop"), patience).toBe("shop");
  hubsCable.cut();
  await patch(east, "shop", { spec: { source: { path: "next" } } });
  await patch(there, "shop", { spec: { source: { path: "mine" } } });
  await expect.poll(() => pathOf(there, "shop"), patience).toBe("shop");
  await patch(there, "shop", { status: { health: { status: "Degraded" } } });
  hubsCable.heal();
  await expect.poll(() => pathOf(there, "shop"), patience).toBe("next");
  await expect.poll(() => read(east, "shop"), patience).toMatchObject({ status: { health: { status: "Degraded" } } });
});

test("while the cluster's API server is away the hub takes edits, and the cluster gets the newest and loses what is gone", async () => {
  await make("gone");
  await expect.poll(() => pathOf(there, "gone"), patience).toBe("gone");
  agentsCable.cut();
  for (const path of ["one", "two", "three"]) await patch(east, "shop", { spec: { source: { path } } });
  await remove(east, "gone");
  await make("new");
  agentsCable.heal();
  await expect.poll(() => pathOf(there, "shop"), patience).toBe("three");
  await expect.poll(() => pathOf(there, "new"), patience).toBe("new");
  await expect.poll(() => read(there, "gone"), patience).toBeUndefined();
});

test("an application over 1 MB goes both ways, and one that etcd can't hold with its stamps is said while others go on", async () => {
  await make("big", { spec: withValues(1_100_000) });
  await expect.poll(() => pathOf(there, "big"), patience).toBe("big");
  await patch(there, "big", { status: { health: { status: "Healthy" } } });
  await expect.poll(() => read(east, "big"), patience).toMatchObject({ status: { health: { status: "Healthy" } } });

  await make("huge", { spec: withValues(1_572_300) });
  await make("small");
  await expect.poll(() => pathOf(there, "small"), patience).toBe("small");
  await expect.poll(() => refusals(), patience).toMatchObject([{ object: `${east}/huge`, reason: "too-large" }]);
  await patch(east, "huge", { spec: { source: { helm: null } } });
  await expect.poll(() => pathOf(there, "huge"), patience).toBe("huge");
  await expect.poll(() => refusals(), patience).toEqual([]);
});

test("what a quota or a policy keeps out is said with its reason, while others go on", async () => {
  await create(`/api/v1/namespaces/${there}/resourcequotas`, {
    metadata: { name: "few" },
    spec: { hard: { "count/applications.argoproj.io": "0" } },
  });
  await expect.poll(() => hasStatus(`/api/v1/namespaces/${there}/resourcequotas/few`), patience).toBe(true);
  await make("over");
  await patch(east, "shop", { spec: { source: { path: "four" } } });
  await expect.poll(() => pathOf(there, "shop"), patience).toBe("four");
  await expect.poll(() => refusals(), patience).toMatchObject([{ object: `${east}/over`, reason: "quota" }]);
  await removeAt(`/api/v1/namespaces/${there}/resourcequotas/few`);
  await expect.poll(() => pathOf(there, "over"), { ...patience, timeout: 90_000 }).toBe("over");

  await using _policy = await rejectProject("secret");
  await make("denied", { spec: { project: "secret" } });
  await expect
    .poll(() => refusals(), patience)
    .toMatchObject([{ object: `${east}/denied`, reason: "webhook", message: expect.stringContaining("not here") }]);
  await patch(east, "shop", { spec: { source: { path: "five" } } });
  await expect.poll(() => pathOf(there, "shop"), patience).toBe("five");
  await patch(east, "denied", { spec: { project: "default" } });
  await expect.poll(() => pathOf(there, "denied"), patience).toBe("denied");
}, 180_000);

test("controllers that write in tight loops on both sides lose nothing of each other's", async () => {
  let writing = true;
  const writer = async (): Promise<number> => {
    let count = 0;
    for (; writing; count++)
      await patch(there, "shop", { status: { sync: { status: "Synced", revision: String(count) } } });
    return count;
  };
  const written = writer();
  for (let version = 0; version < 30; version++)
    await patch(east, "shop", { spec: { source: { targetRevision: `v${version}` } } });
  await expect.poll(() => read(there, "shop"), patience).toMatchObject({ spec: { source: { targetRevision: "v29" } } });
  writing = false;
  const last = (await written) - 1;
  expect(last).toBeGreaterThan(0);
  await expect
    .poll(() => read(east, "shop"), patience)
    .toMatchObject({ status: { sync: { revision: String(last) } }, spec: { source: { targetRevision: "v29" } } });
});

test("an agent whose rights are taken away deletes nothing, and goes on by itself when it has them again", async () => {
  await removeAt(`/apis/${rbac}/namespaces/${there}/rolebindings/agent`);
  await remove(east, "small");
  await patch(east, "shop", { spec: { source: { path: "six" } } });
  const refused = expect.objectContaining({ object: `${east}/shop`, reason: "forbidden" }) as object;
  await expect.poll(() => refusals(), patience).toContainEqual(refused);
  expect(await read(there, "small")).toBeDefined();
  await bind();
  await expect.poll(() => pathOf(there, "shop"), patience).toBe("six");
  await expect.poll(() => read(there, "small"), patience).toBeUndefined();
  await expect.poll(() => refusals(), patience).toEqual([]);
});

test("a cluster that is put back to an older state, stamps and all, is as on the hub again", async () => {
  const older = await Promise.all(["shop", "new"].map((name) => read(there, name)));
  await patch(east, "shop", { spec: { source: { path: "seven" } } });
  await remove(east, "new");
  await expect.poll(() => pathOf(there, "shop"), patience).toBe("seven");
  await expect.poll(() => read(there, "new"), patience).toBeUndefined();
  await joined.agent.stop();
  await remove(there, "shop");
  await remove(there, "big");
  for (const object of older) {
    const { uid: _uid, resourceVersion: _version, ...metadata } = object?.metadata ?? {};
    await create(collection(there), { ...object, metadata });
  }
  await joined.agent.start();
  await expect.poll(() => pathOf(there, "shop"), patience).toBe("seven");
  await expect.poll(() => read(there, "new"), patience).toBeUndefined();
  await expect.poll(() => pathOf(there, "big"), patience).toBe("big");
});

interface Seen {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly spec: { readonly source: { readonly path: string } };
}

function agentsUser(): string {
  return `agent-${there}`;
}

/** As the agent's chart does. */
async function grant(): Promise<void> {
  const verbs = ["get", "list", "watch", "create", "update", "delete"];
  await create(`/apis/${rbac}/namespaces/${there}/roles`, {
    metadata: { name: "agent" },
    rules: [
      { apiGroups: ["argoproj.io"], resources: ["applications", "appprojects"], verbs },
      { apiGroups: [""], resources: ["secrets", "configmaps"], verbs },
    ],
  });
  await bind();
  // By the namespace's uid the hub tells clusters apart.
  await create(`/apis/${rbac}/namespaces/kube-system/rolebindings`, {
    metadata: { name: there },
    subjects: [{ kind: "User", name: agentsUser() }],
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
  });
  undo.defer(() => removeAt(`/apis/${rbac}/namespaces/kube-system/rolebindings/${there}`));
}

async function bind(): Promise<void> {
  await create(`/apis/${rbac}/namespaces/${there}/rolebindings`, {
    metadata: { name: "agent" },
    subjects: [{ kind: "User", name: agentsUser() }],
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "agent" },
  });
}

/** In the cluster alone. The API server's own policies are answered as those of webhooks are. */
async function rejectProject(project: string): Promise<AsyncDisposable> {
  const root = "/apis/admissionregistration.k8s.io/v1";
  const name = `reject-${there}`;
  const rule = {
    apiGroups: ["argoproj.io"],
    apiVersions: ["*"],
    operations: ["CREATE", "UPDATE"],
    resources: ["applications"],
  };
  await create(`${root}/validatingadmissionpolicies`, {
    metadata: { name },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: `object.spec.project != '${project}'`, message: "not here" }],
    },
  });
  await create(`${root}/validatingadmissionpolicybindings`, {
    metadata: { name },
    spec: {
      policyName: name,
      validationActions: ["Deny"],
      matchResources: { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": there } } },
    },
  });
  const remains = async () => {
    const probe = { apiVersion, kind: "Application", metadata: { name: "probe" }, spec: specOf("probe", { project }) };
    const path = `${collection(there)}?dryRun=All`;
    return (await cluster.api.send({ method: "POST", path, body: probe })).status;
  };
  await expect.poll(remains, patience).toBe(422);
  return {
    async [Symbol.asyncDispose]() {
      await removeAt(`${root}/validatingadmissionpolicybindings/${name}`);
      await removeAt(`${root}/validatingadmissionpolicies/${name}`);
    },
  };
}

/** On the hub. */
async function make(name: string, more: { readonly spec?: object } = {}): Promise<void> {
  await create(collection(east), { metadata: { name }, spec: specOf(name, more.spec) });
}

function specOf(path: string, more: object = {}): object {
  const source = { repoURL: "https://git.example/a", path };
  const spec = { project: "default", destination: { name: east, namespace: path }, ...more };
  return { ...spec, source: { ...source, ...(more as { readonly source?: object }).source } };
}

function withValues(sizeBytes: number): object {
  return { source: { helm: { values: "x".repeat(sizeBytes) } } };
}

async function refusals(): Promise<readonly object[]> {
  const { text } = await requestHub(hub, `/api/v1/clusters/${east}/gitops/status`);
  const { flows } = JSON.parse(text) as { flows: readonly { refused: readonly object[] }[] };
  return flows.flatMap(({ refused }) => refused);
}

async function pathOf(namespace: string, name: string): Promise<string | undefined> {
  return (await read(namespace, name))?.spec.source.path;
}

async function read(namespace: string, name: string): Promise<Seen | undefined> {
  const { status, text } = await cluster.api.send({ path: `${collection(namespace)}/${name}` });
  return status === 200 ? (JSON.parse(text) as Seen) : undefined;
}

async function hasStatus(path: string): Promise<boolean> {
  return (await cluster.api.json<{ status?: { hard?: object } }>({ path })).status?.hard !== undefined;
}

async function patch(namespace: string, name: string, body: object): Promise<void> {
  const path = `${collection(namespace)}/${name}`;
  await cluster.api.json({ method: "PATCH", path, body, contentType: "application/merge-patch+json" });
}

async function create(path: string, body: object): Promise<void> {
  const isArgo = path.startsWith("/apis/argoproj.io/");
  const whole = isArgo ? { apiVersion, kind: "Application", ...body } : body;
  await cluster.api.json({ method: "POST", path, body: whole });
}

function remove(namespace: string, name: string): Promise<void> {
  return removeAt(`${collection(namespace)}/${name}`);
}

async function removeAt(path: string): Promise<void> {
  await cluster.api.json({ method: "DELETE", path });
}

function collection(namespace: string): string {
  return `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/applications`;
}

const rbac = "rbac.authorization.k8s.io/v1";
const apiVersion = "argoproj.io/v1alpha1";
