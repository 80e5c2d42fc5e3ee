// The chart's role observe in a real cluster: what its ServiceAccount may do, and that what its pods run works with that.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isFairleadError } from "@fairlead/kernel";
import { waitUntil } from "@fairlead/kernel/testing";
import { createKubeClient, type KubeClient, type KubeRequest, loadKubeconfig } from "@fairlead/kube";
import {
  type ClusterAccess,
  createNamespace,
  findLogLines,
  imageRegistry,
  openHelm,
  type RunningProcess,
  readPodProgram,
  sharedCluster,
  startHub,
  startProgram,
  type TestHub,
  type TestNamespace,
} from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";

const name = "fairlead-agent-observe";
let undo: AsyncDisposableStack;
let cluster: ClusterAccess;
let hub: TestHub;
let whole: Installed;
let narrow: Installed;
let other: TestNamespace;

beforeAll(async () => {
  undo = new AsyncDisposableStack();
  cluster = await sharedCluster();
  hub = undo.use(await startHub());
  other = undo.use(await createNamespace(cluster, "other"));
  whole = await install("whole", {});
  narrow = await install("narrow", { namespaces: [other.name] });
});
afterAll(() => undo?.disposeAsync());

test("the ServiceAccount's every write is refused by the API server, but for its Lease and its identity", async () => {
  const { namespace, client } = whole;
  const targets = await listTargets(namespace);
  expect(targets.length).toBeGreaterThan(80);
  const allowed: string[] = [];
  for (const target of targets) {
    const answers = await Promise.all(
      target.writes.map(async ({ method, path }) => {
        const status = await statusOf(client, { method, path, body: method === "DELETE" ? undefined : {} });
        return status === 403 || status === 405 ? [] : [`${method} ${path} ${status}`];
      }),
    );
    allowed.push(...answers.flat());
  }
  // To ask what one may do oneself is everybody's right, and writes nothing.
  expect(allowed.filter((line) => !/\/self[a-z]+reviews\?/.test(line))).toEqual([]);

  const lease = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${name}`;
  for (const path of [lease, `/api/v1/namespaces/${namespace}/secrets/${name}-identity`]) {
    await client.request({ method: "PUT", path, body: await client.request({ path }) });
    expect(await statusOf(client, { method: "DELETE", path })).toBe(403);
  }
});

test("it reads what is observed and not one Secret or ConfigMap", async () => {
  const { client, namespace } = whole;
  expect(await statusOf(client, { path: "/api/v1/pods?limit=1" })).toBe(200);
  expect(await statusOf(client, { path: "/apis/apps/v1/deployments?limit=1" })).toBe(200);
  expect(await statusOf(client, { path: "/api/v1/secrets?limit=1" })).toBe(403);
  expect(await statusOf(client, { path: `/api/v1/namespaces/${namespace}/secrets` })).toBe(403);
  expect(await statusOf(client, { path: `/api/v1/namespaces/${namespace}/secrets/fairlead-agent-join` })).toBe(403);
  expect(await statusOf(client, { path: "/api/v1/configmaps?limit=1" })).toBe(403);
  expect(await statusOf(client, { path: `/api/v1/namespaces/${namespace}/pods/any/log` })).toBe(403);
});

test("with namespaces there's no ClusterRole, and nothing is read elsewhere", async () => {
  const { client, namespace } = narrow;
  const { stdout } = await cluster.kubectl(["get", "clusterroles,clusterrolebindings", "-o", "name"]);
  expect(stdout).toContain(`${whole.namespace}:${name}`);
  expect(stdout).not.toContain(namespace);
  expect(await statusOf(client, { path: `/api/v1/namespaces/${other.name}/pods` })).toBe(200);
  expect(await statusOf(client, { path: "/api/v1/pods" })).toBe(403);
  expect(await statusOf(client, { path: "/api/v1/nodes" })).toBe(403);
  expect(await statusOf(client, { path: "/api/v1/namespaces/default/pods" })).toBe(403);
  expect(await statusOf(client, { path: "/api/v1/namespaces/kube-system" })).toBe(200);
});

test("what its pods run gets ready with these rights; of two one leads, and the other one takes over", async () => {
  const first = await startReplica(whole, "first");
  await untilReady(first);
  const second = await startReplica(whole, "second");
  await untilReady(second);
  expect([await first.isLeading(), await second.isLeading()]).toEqual([true, false]);
  await first.running.stop({ graceMs: 0 });
  expect(await waitUntil(() => second.isLeading(), { timeoutMs: 60_000 })).toBe(true);
  await untilReady(second);

  const identity = await readIdentity(whole);
  await whole.upgrade();
  expect(await readIdentity(whole)).toEqual(identity);
  expect(await second.isLeading()).toBe(true);
  const third = await startReplica(whole, "third");
  await untilReady(third);
  const beganMs = Date.now();
  await second.running.stop({ graceMs: 15_000 });
  expect(await waitUntil(() => third.isLeading(), { timeoutMs: 60_000 })).toBe(true);
  // An agent that stops lets go: nobody waits for its lease to run out.
  expect(Date.now() - beganMs).toBeLessThan(12_000);
});

test("with namespaces it gets ready as well, and no kind is out of its reach", async () => {
  const replica = await startReplica(narrow, "narrow");
  await untilReady(replica);
  expect(await replica.metric('fairlead_agent_observed_kinds{state="unavailable"}')).toBe(0);
  expect(await replica.metric('fairlead_agent_observed_kinds{state="synced"}')).toBeGreaterThan(8);
});

interface Installed {
  readonly cluster: string;
  readonly namespace: string;
  /** With the ServiceAccount's token. */
  readonly client: KubeClient;
  upgrade(): Promise<unknown>;
  readonly folder: string;
}

async function install(clusterName: string, observe: object): Promise<Installed> {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-observe-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const { name: namespace } = undo.use(await createNamespace(cluster, "observe"));
  const helm = undo.use(await openHelm({ kubeconfig: cluster.adminKubeconfig }));
  const inNamespace = ["--namespace", namespace];
  undo.defer(
    async () => void (await helm.run(["uninstall", "fairlead-agent", ...inNamespace], { allowFailure: true })),
  );
  const add = ["cluster", "add", clusterName, "--role", "observe", "--token-out", join(folder, "token"), "--json"];
  const { stdout } = await hub.cli(add);
  expect(JSON.parse(stdout).join.helm.command).toContain("observe.enabled=true");
  const values = await helm.writeValues({
    hub: { url: hub.agentUrl },
    image: { registry: imageRegistry },
    token: { existingSecret: "fairlead-agent-join" },
    proxy: { enabled: false },
    observe: { enabled: true, ...observe },
  });
  const chart = join(import.meta.dirname, "../../charts/fairlead-agent");
  const upgrade = () => helm.run(["upgrade", "--install", "fairlead-agent", chart, ...inNamespace, "--values", values]);
  await upgrade();
  const path = await cluster.kubeconfigForServiceAccount({ namespace, name });
  const client = undo.use(createKubeClient({ access: await loadKubeconfig({ path }) }));
  return { cluster: clusterName, namespace, client, upgrade, folder };
}

interface Replica {
  readonly running: RunningProcess;
  ready(): Promise<string>;
  metric(series: string): Promise<number | undefined>;
  isLeading(): Promise<boolean>;
}

async function startReplica({ namespace, folder }: Installed, label: string): Promise<Replica> {
  const { stdout } = await cluster.kubectl(["-n", namespace, "get", "deployment", name, "-o", "json"]);
  const { args, env, serviceAccount } = readPodProgram(JSON.parse(stdout), { "/var/run/fairlead/token": folder });
  const kubeconfig = await cluster.kubeconfigForServiceAccount({ namespace, name: serviceAccount });
  const logFile = join(folder, `${label}.log`);
  const running = await startProgram("agent", {
    name: `${label} replica`,
    args: [...args, "--kubeconfig", kubeconfig, "--health-listen", "127.0.0.1:0"],
    env: { HOME: folder, ...env },
    logFile,
    readyWhen: async () => (await findLogLines(logFile, "agent starts")).length > 0,
    readyTimeoutMs: 60_000,
  });
  undo.defer(async () => void (await running.stop({ graceMs: 0 })));
  const [start] = await findLogLines(logFile, "agent starts");
  const read = async (path: string): Promise<string> => (await fetch(`${start?.["healthUrl"]}${path}`)).text();
  const metric: Replica["metric"] = async (series) => {
    const line = (await read("/metrics")).split("\n").find((text) => text.startsWith(`${series} `));
    return line === undefined ? undefined : Number(line.slice(series.length));
  };
  return {
    running,
    metric,
    ready: () => read("/readyz"),
    isLeading: async () => (await metric("fairlead_agent_leading")) === 1,
  };
}

async function readIdentity({ namespace }: Installed): Promise<unknown> {
  const path = `/api/v1/namespaces/${namespace}/secrets/${name}-identity`;
  const { data } = await cluster.api.json<{ data: Record<string, string> }>({ path });
  expect(Object.keys(data).sort()).toEqual(["identity.json", "projection-salt"]);
  return data;
}

async function untilReady(replica: Replica): Promise<void> {
  const isReady = async () => (await replica.ready()) === "[+] hub ok\n[+] api-server ok\n[+] inventory ok\n";
  if (!(await waitUntil(isReady, { timeoutMs: 60_000 }))) throw new Error(await replica.ready());
}

async function statusOf(client: KubeClient, request: KubeRequest): Promise<number> {
  try {
    await client.request(request);
    return 200;
  } catch (error) {
    if (isFairleadError(error)) return error.httpStatus;
    throw error;
  }
}

interface Target {
  readonly writes: readonly { readonly method: NonNullable<KubeRequest["method"]>; readonly path: string }[];
}

/** All that an API server has to write to, subresources included; nothing in them exists. */
async function listTargets(namespace: string): Promise<Target[]> {
  const groups = await cluster.api.json<{ groups: { preferredVersion: { groupVersion: string } }[] }>({
    path: "/apis",
  });
  const roots = ["/api/v1", ...groups.groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`)];
  const lists = await Promise.all(
    roots.map(async (root) => {
      const list = await cluster.api.json<{ resources: { name: string; namespaced: boolean }[] }>({ path: root });
      return list.resources.map((resource) => toTarget(root, namespace, resource));
    }),
  );
  return lists.flat();
}

function toTarget(root: string, namespace: string, resource: { name: string; namespaced: boolean }): Target {
  const [plural, ...subresource] = resource.name.split("/");
  const all = `${root}${resource.namespaced ? `/namespaces/${namespace}` : ""}/${plural}`;
  const one = [all, "nothing", ...subresource].join("/");
  const each = (["PUT", "PATCH", "DELETE"] as const).map((method) => ({ method, path: one }));
  if (subresource.length > 0) return { writes: [{ method: "POST", path: one }, ...each] };
  // Should it be allowed after all, it hits nothing.
  const nothing = "?labelSelector=fairlead.dev%2Fnothing%3Dat-all&dryRun=All";
  return {
    writes: [{ method: "POST", path: `${all}?dryRun=All` }, { method: "DELETE", path: all + nothing }, ...each],
  };
}
