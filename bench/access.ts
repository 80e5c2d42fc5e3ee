// Access to a cluster through hub and agent beside every other way to the same API server, and what happens to long
// streams when there are many of them, when the cable is cut, and when somebody else is busy.
import { tuneGarbageCollection } from "@fairlead/protocol";
import { measureCables } from "./access/cables.ts";
import { measureCrowd } from "./access/crowd.ts";
import { measureCuts } from "./access/cuts.ts";
import { measureFairness } from "./access/fairness.ts";
import { setAccessStage } from "./access/stage.ts";
import { measureStalled } from "./access/stalled.ts";
import { measureWays } from "./access/throughput.ts";
import { formatTable, type Row } from "./harness/table.ts";

export async function runAccessBench({ json, quick }: { json: boolean; quick: boolean }): Promise<void> {
  // The load generator moves bulk as well, and is one end of the bare link.
  tuneGarbageCollection();
  const startedAt = performance.now();
  const say = (text: string) =>
    process.stderr.write(`${Math.round((performance.now() - startedAt) / 1000)} s: ${text}\n`);
  say("starting an API server, a hub, four agents and the peers");
  await using stage = await setAccessStage({ say });
  const rows: Row[] = [];
  const rounds = (most: number, budgetSeconds: number) =>
    quick ? { most: 1, budgetMs: 0 } : { most, budgetMs: budgetSeconds * 1000 };
  rows.push(...(await measureWays({ stage, rounds: rounds(5, 300), say })));
  rows.push(...(await measureCables({ stage, rounds: rounds(3, 70), say })));
  rows.push(...(await measureStalled({ stage, rounds: rounds(5, 60), say })));
  rows.push(...(await measureCrowd({ stage, quick, say })));
  rows.push(...(await measureCuts({ stage, cuts: quick ? 1 : 4, perCut: quick ? 2 : 5, say })));
  rows.push(...(await measureFairness({ stage, rounds: rounds(3, 60), say })));
  say("done");
  if (json) return console.log(JSON.stringify({ bench: "access", rows }, undefined, 2));
  console.log(formatTable([...stage.ways.map(({ name }) => name), "impersonating"], rows));
}
