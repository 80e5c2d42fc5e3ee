// As many changes as the API server takes, for a while, watched by a bare watch and by a subscriber of the hub: how long
// until each of them sees one, whether any is lost, and what agent and hub hold meanwhile.
import { setTimeout as delay } from "node:timers/promises";
import type { TakenArrivals } from "../harness/arrivals.ts";
import { forkPeer } from "../harness/forked-peer.ts";
import { readResidentBytes } from "../harness/memory.ts";
import type { ObservedCluster } from "../harness/observed-cluster.ts";
import { percentile } from "../harness/stats.ts";
import type { Row } from "../harness/table.ts";
import { atMost } from "../harness/targets.ts";
import { listPath } from "./objects.ts";
import type { InventoryStage } from "./stage.ts";

const mebibyte = 2 ** 20;
/** As few as keep the API server busy all the time. */
const workers = 8;

export async function measureChanges(options: {
  stage: InventoryStage;
  observed: ObservedCluster;
  objects: number;
  durationMs: number;
  say: (text: string) => void;
}): Promise<Row[]> {
  const { stage, observed, objects, durationMs, say } = options;
  const { hub, api, writer } = stage;
  await using undo = new AsyncDisposableStack();
  const watcher = undo.use(forkPeer("bare-watcher.ts"));
  const client = undo.use(forkPeer("live-client.ts"));
  await watcher.ask("open", { ...api, path: listPath("configmaps") });
  const filter = { kind: "configmaps", cluster: observed.name };
  const { url, caPem, adminToken: token } = hub;
  await client.ask("open", { url, caPem, token, filter, count: 1, withObject: true });
  await client.ask("take");
  say(`changing ConfigMaps for ${durationMs / 1000} s`);
  const memory = [observed.joined.agent.process.pid, hub.process.pid].map((pid) => watchGrowth(pid, durationMs));
  const { changes, seconds, last } = await writer.ask<{ changes: number; seconds: number; last: Map<number, number> }>(
    "changeFor",
    { kind: "configmaps", count: objects, durationMs, workers },
  );
  const [agentMiB = 0, hubMiB = 0] = memory.map((grown) => grown());
  const wanted = [...last.values()];
  const seen = await takeUntil(client, wanted);
  const bare = await takeUntil(watcher, wanted);
  const lost = wanted.filter((number) => !seen.numbers.has(number)).length;
  const bareMs = percentile(bare.latenciesMs, 99);
  const ourMs = percentile(seen.latenciesMs, 99);
  return [
    {
      name: `changes sent in ${Math.round(seconds)} s`,
      unit: "1/s",
      figures: { "bare watcher": bare.numbers.size / seconds, fairlead: seen.numbers.size / seconds },
    },
    {
      name: "from sending a change until it is seen, p50",
      unit: "ms",
      figures: { "bare watcher": percentile(bare.latenciesMs, 50), fairlead: percentile(seen.latenciesMs, 50) },
    },
    {
      name: "from sending a change until it is seen, p99",
      unit: "ms",
      figures: { "bare watcher": bareMs, fairlead: ourMs },
      targets: [atMost(ourMs - bareMs, 200, "ms over the bare watcher")],
    },
    {
      name: `objects whose newest state didn't come, of ${last.size}; ${changes - seen.numbers.size} states passed over`,
      unit: "",
      figures: { fairlead: lost },
      targets: [atMost(lost, 0, "")],
    },
    {
      name: "agent's memory at the end over that after a third of the time",
      unit: "MiB",
      figures: { fairlead: agentMiB },
      targets: [atMost(agentMiB, 16, "MiB")],
    },
    {
      name: "hub's memory at the end over that after a third of the time",
      unit: "MiB",
      figures: { fairlead: hubMiB },
      targets: [atMost(hubMiB, 32, "MiB")],
    },
  ];
}

/** Takes what comes until all that is wanted is there, or nothing has come for a while. */
async function takeUntil(peer: ReturnType<typeof forkPeer>, wanted: readonly number[]): Promise<TakenArrivals> {
  const all: TakenArrivals = { numbers: new Set(), latenciesMs: [] };
  for (let quietMs = 0; quietMs < 10_000; quietMs += 250) {
    const taken = await peer.ask<TakenArrivals>("take");
    if (taken.numbers.size > 0) quietMs = 0;
    for (const number of taken.numbers) all.numbers.add(number);
    for (const ms of taken.latenciesMs) all.latenciesMs.push(ms);
    if (wanted.every((number) => all.numbers.has(number))) break;
    await delay(250);
  }
  return all;
}

/** Medians of a second's samples: what a process holds goes up and down with its garbage. */
function watchGrowth(pid: number, durationMs: number): () => number {
  const samples: { atMs: number; bytes: number }[] = [];
  const startedAt = performance.now();
  const timer = setInterval(
    () => samples.push({ atMs: performance.now() - startedAt, bytes: readResidentBytes(pid) }),
    100,
  );
  const lowest = (fromMs: number, toMs: number) =>
    Math.min(...samples.filter(({ atMs }) => atMs >= fromMs && atMs < toMs).map(({ bytes }) => bytes));
  return () => {
    clearInterval(timer);
    const third = durationMs / 3;
    return (lowest(2 * third, durationMs) - lowest(third / 2, third * 1.5)) / mebibyte;
  };
}
