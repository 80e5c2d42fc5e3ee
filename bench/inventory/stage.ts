// An API server with a hub beside it, and a process that fills it. Agents come and go with what is measured.
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  findLogLines,
  type JoinedCluster,
  joinCluster,
  repoRoot,
  runCommand,
  startCluster,
  startHub,
  type TestCluster,
  type TestHub,
} from "@fairlead/testkit";
import { type ForkedPeer, forkPeer } from "../harness/forked-peer.ts";
import { readLogTime } from "../harness/log-time.ts";
import { askHub } from "./hub-api.ts";
import { type BenchKind, benchNamespaces, benchNodes, widgetDefinition, widgetGroup } from "./objects.ts";

export interface InventoryStage extends AsyncDisposable {
  readonly cluster: TestCluster;
  readonly hub: TestHub;
  readonly writer: ForkedPeer;
  /** For peers that talk to the API server. */
  readonly api: { readonly url: string; readonly caPem: string; readonly token: string };
  /** Creates what is missing up to these numbers, and waits until the pods run. */
  fill(counts: Readonly<Record<BenchKind, number>>): Promise<void>;
  /** An agent that observes the cluster under this name. */
  join(name: string): Promise<ObservedCluster>;
}

export interface ObservedCluster extends AsyncDisposable {
  readonly name: string;
  readonly joined: JoinedCluster;
  /** Milliseconds since the epoch, of the newest start. */
  startedAt(): Promise<number>;
  connectedAt(): Promise<number>;
  /** The sum over all label sets of one of the agent's metrics, or of those that `labels` says. */
  readMetric(name: string, labels?: string): Promise<number>;
  /** Until the agent says that the hub has everything; answers when that was seen. */
  untilSynced(): Promise<number>;
}

const workers = 24;

export async function setInventoryStage(): Promise<InventoryStage> {
  await using undo = new AsyncDisposableStack();
  await build();
  const cluster = undo.use(await startCluster({ name: "bench", nodes: benchNodes }));
  const hub = undo.use(await startHub({ isBuilt: true }));
  const writer = undo.use(forkPeer("object-writer.ts"));
  const api = { url: cluster.url, caPem: cluster.caPem, token: cluster.adminToken };
  await writer.ask("open", { ...api, connections: workers });
  await createPlaces(cluster);
  const have: Record<BenchKind, number> = { configmaps: 0, pods: 0, widgets: 0 };
  const release = undo.move();
  return {
    ...{ cluster, hub, writer, api },
    async fill(counts) {
      for (const kind of ["pods", "configmaps", "widgets"] as const) {
        if (counts[kind] <= have[kind]) continue;
        await writer.ask("create", { kind, from: have[kind], to: counts[kind], workers });
        have[kind] = counts[kind];
      }
      await untilPodsRun(cluster);
    },
    join: (name) => joinObserved({ hub, cluster, name }),
    [Symbol.asyncDispose]: () => release.disposeAsync(),
  };
}

/** Users run a build, so a build is measured: Node's reading of TypeScript takes memory of its own. */
async function build(): Promise<void> {
  const tsc = join(repoRoot, "node_modules", ".bin", "tsc");
  const projects = ["agent", "hub"].map((name) => join(repoRoot, "packages", name));
  await runCommand(process.execPath, [tsc, "-b", ...projects], { timeoutMs: 180_000 });
  await runCommand(process.execPath, [join(repoRoot, "scripts", "copy-assets.ts")], { timeoutMs: 60_000 });
}

async function createPlaces({ api, kubectl }: TestCluster): Promise<void> {
  const names = Array.from({ length: benchNamespaces }, (_, index) => `bench-${index}`);
  for (const name of names) {
    await api.json({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name } } });
  }
  await kubectl(["create", "-f", "-"], { input: JSON.stringify(widgetDefinition) });
  await kubectl(["wait", "--for=condition=Established", "crd", `widgets.${widgetGroup}`, "--timeout=30s"]);
  for (const name of names) {
    const path = `/api/v1/namespaces/${name}/serviceaccounts/default`;
    while ((await api.send({ path })).status !== 200) await delay(50);
  }
}

async function untilPodsRun({ api }: TestCluster): Promise<void> {
  const deadline = performance.now() + 600_000;
  for (;;) {
    const { items } = await api.json<{ items: unknown[] }>({
      path: "/api/v1/pods?limit=1&fieldSelector=status.phase%21%3DRunning",
    });
    if (items.length === 0) return;
    if (performance.now() > deadline) throw new Error("not all pods run after ten minutes");
    await delay(500);
  }
}

async function joinObserved(options: { hub: TestHub; cluster: TestCluster; name: string }): Promise<ObservedCluster> {
  const { hub, cluster, name } = options;
  const joined = await joinCluster({
    ...{ hub, name, roles: ["observe"] },
    kubeconfig: cluster.adminKubeconfig,
    isAgentBuilt: true,
    // As the chart has it.
    agentEnv: { MALLOC_ARENA_MAX: "1" },
    agentArgs: ["--observe-include", `configmaps,*.${widgetGroup}`],
  });
  const newest = async (message: string) => (await findLogLines(joined.agent.logFile, message)).at(-1);
  const { healthUrl } = (await newest("agent starts")) as { healthUrl: string };
  const readMetric = async (metric: string, labels = "") => {
    const text = await (await fetch(`${healthUrl}/metrics`)).text();
    const lines = text.split("\n").filter((line) => /^[a-z_]+/.exec(line)?.[0] === metric && line.includes(labels));
    return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
  };
  return {
    ...{ name, joined, readMetric },
    startedAt: async () => readLogTime((await newest("agent starts"))?.["time"]),
    connectedAt: async () => readLogTime((await newest("agent is connected"))?.["time"]),
    async untilSynced() {
      const deadline = Date.now() + 300_000;
      for (;;) {
        const { status } = await fetch(`${healthUrl}/readyz`);
        const pending = await readMetric("fairlead_agent_inventory_pending_changes");
        const now = Date.now();
        if (status === 200 && pending === 0 && (await areAllSynced(hub, name))) return now;
        if (now > deadline) throw new Error(`${name} isn't synced after five minutes`);
        await delay(10);
      }
    },
    [Symbol.asyncDispose]: () => joined[Symbol.asyncDispose](),
  };
}

async function areAllSynced(hub: TestHub, name: string): Promise<boolean> {
  const { kinds } = await askHub<{ kinds: { state: string }[] }>(hub, `/api/v1/clusters/${name}/inventory`);
  return kinds.length > 0 && kinds.every(({ state }) => state === "synced");
}
