// The live picture: from an API server to the hub's API, the engine alone, questions over a fleet, many subscribers, and
// what a cut leaves behind, beside informers that forward events.
import { tuneGarbageCollection } from "@fairlead/protocol";
import { formatTable, type Row } from "./harness/table.ts";
import { measureAfterCut } from "./inventory/after-cut.ts";
import { measureChanges } from "./inventory/changes.ts";
import { measureEngine } from "./inventory/engine.ts";
import { measureFirstSync, measureResync, measureSmallAgent } from "./inventory/first-sync.ts";
import { measureFleet } from "./inventory/fleet.ts";
import { setInventoryStage } from "./inventory/stage.ts";

const columns = ["alone", "bare watcher", "informer", "informer, all again", "fairlead"];

export async function runInventoryBench({ json, quick }: { json: boolean; quick: boolean }): Promise<void> {
  tuneGarbageCollection();
  const startedAt = performance.now();
  const say = (text: string) =>
    process.stderr.write(`${Math.round((performance.now() - startedAt) / 1000)} s: ${text}\n`);
  const rows: Row[] = await measureCluster({ quick, say });
  rows.push(...(await measureFleet({ ...(quick ? smallFleet : wholeFleet), say })));
  rows.push(...(await measureEngine({ ...(quick ? smallEngine : wholeEngine), say })));
  say("done");
  if (json) return console.log(JSON.stringify({ bench: "inventory", rows }, undefined, 2));
  console.log(formatTable(columns, rows));
}

async function measureCluster({ quick, say }: { quick: boolean; say: (text: string) => void }): Promise<Row[]> {
  const counts = quick
    ? { pods: 500, configmaps: 2_000, widgets: 500 }
    : { pods: 5_000, configmaps: 20_000, widgets: 5_000 };
  say("starting an API server and a hub");
  await using stage = await setInventoryStage();
  const rows: Row[] = [];
  rows.push(...(await measureSmallAgent({ stage, counts: { pods: 160, configmaps: 680, widgets: 160 } })));
  say("creating the objects");
  const { observed: cluster, rows: firstRows } = await measureFirstSync({ stage, counts, say });
  await using observed = cluster;
  rows.push(...firstRows);
  rows.push(...(await measureResync({ stage, observed, counts, times: quick ? 2 : 5, say })));
  const { configmaps: objects } = counts;
  rows.push(...(await measureChanges({ stage, observed, objects, durationMs: quick ? 10_000 : 60_000, say })));
  rows.push(...(await measureAfterCut({ stage, observed, ...(quick ? smallCut : wholeCut), say })));
  return rows;
}

const smallCut = { changes: 500, deletes: 50, cutMs: 5_000 };
const wholeCut = { changes: 5_000, deletes: 500, cutMs: 30_000 };
const smallFleet = { clusters: 20, perCluster: 500, subscribers: 100 };
const wholeFleet = { clusters: 100, perCluster: 1_000, subscribers: 1_000 };
const smallEngine = { objects: 50_000, seconds: 5 };
const wholeEngine = { objects: 500_000, seconds: 30 };
