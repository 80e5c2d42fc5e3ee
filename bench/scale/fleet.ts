// A question over a thousand clusters, asked of the hub that their agents report to, and of its neighbour.
import { setTimeout as delay } from "node:timers/promises";
import { startHubs } from "@fairlead/testkit";
import type { Row } from "../harness/table.ts";
import { atMost } from "../harness/targets.ts";
import { askFleet } from "../inventory/ask-fleet.ts";
import { fillFleet } from "../inventory/fill-fleet.ts";

const settleMs = 10_000;

export async function measureWideFleet(options: {
  clusters: number;
  perCluster: number;
  say: (text: string) => void;
}): Promise<Row[]> {
  const { clusters, perCluster, say } = options;
  await using hubs = await startHubs({ count: 2, isBuilt: true });
  const [own, neighbour] = hubs.hubs;
  if (own === undefined || neighbour === undefined) throw new Error("this takes two hubs");
  say(`filling a hub with ${clusters} clusters of ${perCluster} pods`);
  using undo = new DisposableStack();
  for (const agent of await fillFleet({ hub: own, clusters, perCluster, say })) undo.use(agent);
  await delay(settleMs);
  say("asking over the fleet");
  const there = await askFleet(own);
  const here = await askFleet(neighbour);
  const name = `pods of ${clusters} clusters x ${perCluster} by labels, 100 rows`;
  const both = (figure: (answers: typeof there) => number) => {
    const figures = { "own hub": figure(there), neighbour: figure(here) };
    return { ...figures, ratio: figures.neighbour / figures["own hub"] };
  };
  return [
    { name: `${name}, p50`, unit: "ms", figures: both(({ alone }) => alone.p50Ms) },
    {
      name: `${name}, p99`,
      unit: "ms",
      figures: both(({ alone }) => alone.p99Ms),
      targets: [atMost(there.alone.p99Ms, 60, "ms"), atMost(here.alone.p99Ms, 60, "ms")],
    },
    { name: `${name}, hub's CPU time`, unit: "ms", figures: both(({ cpuMs }) => cpuMs) },
    { name: `${name}, 4 at a time, p99`, unit: "ms", figures: both(({ fourAtOnce }) => fourAtOnce.p99Ms) },
  ];
}
