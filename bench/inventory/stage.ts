// An API server with a hub beside it, and a process that fills it. Agents come and go with what is measured.
import { setTimeout as delay } from "node:timers/promises";
import { startCluster, startHub, type TestCluster, type TestHub } from "@fairlead/testkit";
import { buildPrograms } from "../harness/build-programs.ts";
import { type ForkedPeer, forkPeer } from "../harness/forked-peer.ts";
import { joinObserved, type ObservedCluster } from "../harness/observed-cluster.ts";
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

const workers = 24;

export async function setInventoryStage(): Promise<InventoryStage> {
  await using undo = new AsyncDisposableStack();
  await buildPrograms();
  const cluster = undo.use(await startCluster({ name: "bench", nodes: benchNodes }));
  const hub = undo.use(await startHub({ isBuilt: true }));
  const writer = undo.use(forkPeer("object-writer.ts"));
  const api = { url: cluster.url, caPem: cluster.caPem, token: cluster.adminToken };
  await writer.ask("open", { ...api, connections: workers });
  await createSlots(cluster);
  const have: Record<BenchKind, number> = { configmaps: 0, pods: 0, widgets: 0 };
  const release = undo.move();
  return {
    cluster,
    hub,
    writer,
    api,
    async fill(counts) {
      for (const kind of ["pods", "configmaps", "widgets"] as const) {
        if (counts[kind] <= have[kind]) continue;
        await writer.ask("create", { kind, from: have[kind], to: counts[kind], workers });
        have[kind] = counts[kind];
      }
      await untilPodsRun(cluster);
    },
    join: (name) =>
      joinObserved({ hub, cluster, name, agentArgs: ["--observe-include", `configmaps,*.${widgetGroup}`] }),
    [Symbol.asyncDispose]: () => release.disposeAsync(),
  };
}

async function createSlots({ api, kubectl }: TestCluster): Promise<void> {
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
