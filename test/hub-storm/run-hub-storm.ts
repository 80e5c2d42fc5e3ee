// Three hubs on one database with cables all around them, clients of all kinds through the balancer, and one fault after
// another. Whatever clients see meanwhile, nothing may be lost, mixed up or served to whoever may not have it.
import { waitUntil } from "@fairlead/kernel/testing";
import {
  type ClusterAccess,
  createAgentKubeconfig,
  createNamespace,
  type JoinedCluster,
  joinCluster,
  startHubs,
  type TestHubs,
} from "@fairlead/testkit";
import { createChance } from "../fleet/chance.ts";
import { ask } from "./ask.ts";
import { keepEchoing } from "./echoes.ts";
import { type FaultKind, keepFailing } from "./faults.ts";
import { configMaps, type Ground, type Harness, marker, podName } from "./harness.ts";
import { measureNoise } from "./noise.ts";
import { checkPicture } from "./picture.ts";
import { checkWrites, keepReading, keepWriting } from "./requests.ts";
import { keepWithdrawing } from "./rights.ts";
import { startWatch } from "./watches.ts";

export interface StormOptions {
  readonly seconds: number;
  readonly clusters: readonly ClusterAccess[];
  /** Agents share the clusters. */
  readonly agentCount: number;
  readonly seed: number;
  readonly pauseSeconds: readonly [number, number];
  /** The kinds of faults; all unless named. */
  readonly kinds?: readonly FaultKind[];
  readonly onProgress?: (line: string) => void;
}

export interface StormReport {
  readonly faults: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly broken: readonly string[];
}

const recoveryMs = 120_000;
/** For all copies together. */
const pictureMs = 60_000;

export async function runHubStorm(options: StormOptions): Promise<StormReport> {
  const { seconds, pauseSeconds, seed, onProgress = () => undefined } = options;
  await using undo = new AsyncDisposableStack();
  onProgress("starting PostgreSQL and three hubs");
  const hubs = undo.use(await startHubs({ count: 3, isCabled: true }));
  onProgress(`enrolling ${options.agentCount} agents`);
  const grounds = await prepareGrounds(options, hubs, undo);
  const counts: Record<string, number> = {};
  const broken: string[] = [];
  const stop = new AbortController();
  const harness: Harness = {
    hubs,
    grounds,
    chance: createChance(seed),
    over: stop.signal,
    noise: undo.use(measureNoise()),
    databaseCuts: [],
    breaks(what) {
      broken.push(what);
      onProgress(`BROKEN: ${what}`);
    },
    count(what) {
      counts[what] = (counts[what] ?? 0) + 1;
    },
  };
  const acknowledged = new Map(grounds.map((ground) => [ground, new Set<string>()]));
  const watches = await Promise.all(grounds.map(async (ground) => undo.use(await startWatch(harness, ground))));
  const clients = [
    ...repeat(4, () => keepReading(harness)),
    ...repeat(2, (client) => keepWriting(harness, client, acknowledged)),
    ...repeat(3, () => keepEchoing(harness)),
    ...repeat(2, (client) => keepWithdrawing(harness, client)),
  ];
  const timer = setTimeout(() => stop.abort(), seconds * 1000);
  // Chances of its own: clients draw theirs whenever they get to it.
  const failing = keepFailing({
    harness: { ...harness, chance: createChance(seed) },
    pauseSeconds,
    kinds: options.kinds,
    onProgress,
  });
  const faults = await failing.finally(() => {
    clearTimeout(timer);
    stop.abort();
  });
  onProgress("the storm is over");
  await Promise.all(clients);
  onProgress("comparing what hubs reach and show with what is there");
  await checkRecovery(harness);
  await checkWrites(harness, acknowledged);
  for (const watch of watches) await watch.check();
  await checkPicture(harness, pictureMs);
  return { faults, counts, broken };
}

function repeat(count: number, start: (index: number) => Promise<void>): readonly Promise<void>[] {
  return Array.from({ length: count }, (_, index) => start(index));
}

async function prepareGrounds(
  { clusters, agentCount }: StormOptions,
  hubs: TestHubs,
  undo: AsyncDisposableStack,
): Promise<readonly Ground[]> {
  const roles = ["proxy", "observe"];
  const include = ["configmaps"];
  const agentArgs = ["--observe-include", include.join(",")];
  const grounds = await Promise.all(
    clusters.map(async (cluster) => ({ cluster, namespace: undo.use(await createNamespace(cluster, "storm")).name })),
  );
  await Promise.all(grounds.map(furnish));
  const joined: JoinedCluster[] = [];
  for (let index = 0; index < agentCount; index++) {
    const { cluster, namespace } = grounds[index % grounds.length] ?? {};
    if (cluster === undefined || namespace === undefined) throw new RangeError("at least one cluster is needed");
    const name = `storm-${index}`;
    const kubeconfig = await createAgentKubeconfig(cluster, `${namespace}-${index}`, { include });
    undo.defer(async () => {
      await cluster.api.send({ method: "DELETE", path: `/api/v1/namespaces/${namespace}-${index}` });
    });
    joined.push(undo.use(await joinCluster({ hub: hubs.behind, name, kubeconfig, roles, agentArgs })));
  }
  return grounds.map((ground, place) => ({
    ...ground,
    agents: joined.filter((_, index) => index % grounds.length === place),
  }));
}

async function furnish({ cluster, namespace }: { readonly cluster: ClusterAccess; readonly namespace: string }) {
  const objects = [
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: marker }, data: { name: namespace } },
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: podName },
      spec: { containers: [{ name: "main", image: "storm" }] },
    },
  ];
  const inNamespace = ["--namespace", namespace];
  const input = objects.map((object) => JSON.stringify(object)).join("\n---\n");
  await cluster.kubectl([...inNamespace, "apply", "-f", "-"], { input });
  await cluster.kubectl([...inNamespace, "wait", "--for=condition=Ready", `pod/${podName}`, "--timeout=60s"]);
}

/** Each hub comes to reach each cluster again. */
async function checkRecovery(harness: Harness): Promise<void> {
  const deadline = performance.now() + recoveryMs;
  for (const [index, hub] of harness.hubs.hubs.entries()) {
    if (hub.process.hasExited) harness.breaks(`hub ${index + 1} has ended by itself`);
    for (const ground of harness.grounds) {
      for (const { name } of ground.agents) {
        const path = `${configMaps(ground, name)}/${marker}`;
        const isThere = async () => (await ask(hub, path))?.status === 200;
        const timeoutMs = Math.max(1000, deadline - performance.now());
        if (!(await waitUntil(isThere, { timeoutMs }))) harness.breaks(`hub ${index + 1} doesn't reach ${name} again`);
      }
    }
  }
}
