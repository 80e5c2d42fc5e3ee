// Thousands of changes a second, reported to one hub: how long until a subscriber at that hub sees one, and one at another.
import { setTimeout as delay } from "node:timers/promises";
import { startHubs, type TestHub } from "@fairlead/testkit";
import type { TakenArrivals } from "../harness/arrivals.ts";
import { CpuMeter } from "../harness/cpu.ts";
import { type ForkedPeer, forkPeer } from "../harness/forked-peer.ts";
import { percentile } from "../harness/stats.ts";
import type { Row } from "../harness/table.ts";
import { atMost } from "../harness/targets.ts";
import { wallMs } from "../harness/wall-clock.ts";
import { fillFleet } from "../inventory/fill-fleet.ts";
import { makePod } from "../inventory/fleet-objects.ts";
import { changeAnnotation } from "../inventory/objects.ts";
import type { ReportedObject, ReportingAgent } from "../inventory/reporting-agent.ts";

const clusters = 10;
const perCluster = 2_000;
const tickMs = 5;
const tookEveryMs = 100;
/** A batch. */
const atOnce = 100;
/** Until code is compiled. */
const warmUpMs = 5_000;

export async function measureFarSubscriber(options: {
  perSecond: number;
  durationMs: number;
  say: (text: string) => void;
}): Promise<Row[]> {
  const { perSecond, durationMs, say } = options;
  await using hubs = await startHubs({ count: 2, isBuilt: true });
  const [own, neighbour] = hubs.hubs;
  if (own === undefined || neighbour === undefined) throw new Error("this takes two hubs");
  using undo = new DisposableStack();
  const agents = await fillFleet({ hub: own, clusters, perCluster, say });
  for (const agent of agents) undo.use(agent);
  const measure = async (hub: TestHub) => {
    await using client = await subscribe(hub);
    await change({ agents, perSecond, durationMs: warmUpMs });
    await takeAll(client);
    const meter = new CpuMeter({ own: own.process.pid, neighbour: neighbour.process.pid });
    const startedAtMs = wallMs();
    const changed = await change({ agents, perSecond, durationMs });
    const taken = await takeAll(client);
    const cpuMs = meter.readPerRequest(changed.made / 1_000);
    return { ...changed, ...taken, cpuMs, tookMs: taken.lastAtMs - startedAtMs };
  };
  say(`${perSecond} changes a second for ${durationMs / 1000} s, seen at the same hub`);
  const there = await measure(own);
  say("the same, seen at its neighbour");
  const here = await measure(neighbour);
  const both = (figure: (measured: typeof there) => number) => {
    const figures = { "own hub": figure(there), neighbour: figure(here) };
    return { ...figures, ratio: figures.neighbour / figures["own hub"] };
  };
  const farMs = percentile(here.latenciesMs, 99);
  const lost = [...here.newest.values()].filter((number) => !here.numbers.has(number)).length;
  return [
    { name: "changes made", unit: "1/s", figures: both(({ made, seconds }) => made / seconds) },
    {
      name: "states seen, until the last of them",
      unit: "1/s",
      figures: both(({ numbers, tookMs }) => numbers.size / (tookMs / 1000)),
    },
    {
      name: "from the change until it is seen, p50",
      unit: "ms",
      figures: both(({ latenciesMs }) => percentile(latenciesMs, 50)),
    },
    {
      name: "from the change until it is seen, p99",
      unit: "ms",
      figures: both(({ latenciesMs }) => percentile(latenciesMs, 99)),
      targets: [atMost(farMs, 300, "ms")],
    },
    {
      name: `objects whose newest state didn't come, of ${here.newest.size}`,
      unit: "",
      figures: { neighbour: lost },
      targets: [atMost(lost, 0, "")],
    },
    {
      name: "CPU time for 1,000 changes seen at the neighbour",
      unit: "ms",
      figures: { "own hub": here.cpuMs["own"] ?? 0, neighbour: here.cpuMs["neighbour"] ?? 0 },
    },
  ];
}

async function subscribe(hub: TestHub): Promise<ForkedPeer> {
  const client = forkPeer("live-client.ts");
  const { url, caPem, adminToken: token } = hub;
  await client.ask("open", { url, caPem, token, filter: { kind: "pods" }, count: 1, withObject: true });
  await client.ask("take");
  return client;
}

let number = 0;

/** Each object in turn. A change counts from when it happens, and waits while its agent's last ones aren't stored. */
async function change(options: {
  agents: readonly ReportingAgent[];
  perSecond: number;
  durationMs: number;
}): Promise<{ made: number; seconds: number; newest: ReadonlyMap<string, number> }> {
  const { agents, perSecond, durationMs } = options;
  const newest = new Map<string, number>();
  const changing = agents.map((agent) => ({
    agent,
    waiting: new Map<string, ReportedObject>(),
    turn: 0,
    isOver: false,
  }));
  const reporting = changing.map(report);
  const startedAt = performance.now();
  const first = number;
  while (performance.now() - startedAt < durationMs) {
    const due = first + Math.round(((performance.now() - startedAt) / 1000) * perSecond);
    for (; number < due; number++) {
      const one = changing[number % changing.length];
      if (one === undefined) break;
      const change = { [changeAnnotation]: `${number} ${wallMs()}` };
      const pod = makePod(one.agent.cluster, one.turn++ % perCluster, change);
      one.waiting.set(pod.metadata.uid, pod);
      newest.set(pod.metadata.uid, number);
    }
    await delay(tickMs);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  for (const one of changing) one.isOver = true;
  await Promise.all(reporting);
  return { made: number - first, seconds, newest };
}

async function report(changing: {
  readonly agent: ReportingAgent;
  readonly waiting: Map<string, ReportedObject>;
  readonly isOver: boolean;
}): Promise<void> {
  const { agent, waiting } = changing;
  while (!changing.isOver || waiting.size > 0) {
    const pods = [...waiting.values()].slice(0, atOnce);
    for (const { metadata } of pods) waiting.delete(metadata.uid);
    if (pods.length > 0) await agent.report(0, pods);
    else await delay(tickMs);
  }
}

/** Until nothing has come for a while. */
async function takeAll(peer: ForkedPeer): Promise<TakenArrivals & { readonly lastAtMs: number }> {
  const all: TakenArrivals = { numbers: new Set(), latenciesMs: [] };
  let lastAtMs = wallMs();
  for (let quietMs = 0; quietMs < 2_000; quietMs += tookEveryMs) {
    const { numbers, latenciesMs } = await peer.ask<TakenArrivals>("take");
    if (numbers.size > 0) {
      quietMs = 0;
      lastAtMs = wallMs();
    }
    for (const each of numbers) all.numbers.add(each);
    for (const ms of latenciesMs) all.latenciesMs.push(ms);
    await delay(tookEveryMs);
  }
  return { ...all, lastAtMs };
}
