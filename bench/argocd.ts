// Argo CD applications between a hub and a managed cluster: how many get through, how soon, and what that takes.
import { measureLatency } from "./argocd/latency.ts";
import { measureManyAgents } from "./argocd/many-agents.ts";
import { measureMemory } from "./argocd/memory.ts";
import { measureReconcile } from "./argocd/reconcile.ts";
import { type ArgoStage, setArgoStage } from "./argocd/stage.ts";
import { measurePairs, measureRates } from "./argocd/throughput.ts";
import { formatTable, type Row } from "./harness/table.ts";
import type { Direction } from "./peers/application-player.ts";

const columns = ["direct", "fairlead", "ratio", "p50", "p99"];
const directions: readonly Direction[] = ["down", "up"];

export interface ArgocdOptions {
  readonly json: boolean;
  readonly quick: boolean;
  /** All unless named. */
  readonly part?: string | undefined;
}

export async function runArgocdBench({ json, quick, part }: ArgocdOptions): Promise<void> {
  const startedAt = performance.now();
  const say = (text: string) =>
    process.stderr.write(`${Math.round((performance.now() - startedAt) / 1000)} s: ${text}\n`);
  if (part !== undefined && !partNames.includes(part))
    throw new Error(`there is no part ${part}, but ${partNames.join(", ")}`);
  const rows: Row[] = [];
  if (part !== "many") rows.push(...(await measureOneCluster({ count: quick ? 100 : 1_000, quick, say })));
  if (part !== "one") rows.push(...(await measureManyAgents({ agents: quick ? 3 : 50, each: quick ? 10 : 100, say })));
  say("done");
  if (json) return console.log(JSON.stringify({ bench: "argocd", rows }, undefined, 2));
  console.log(formatTable(columns, rows));
}

const partNames = ["one", "many"];

async function measureOneCluster(options: {
  count: number;
  quick: boolean;
  say: (text: string) => void;
}): Promise<Row[]> {
  const { count, quick, say } = options;
  say("starting two clusters, a hub and an agent");
  await using stage = await setArgoStage({ count });
  say(`making ${count} applications`);
  const createSeconds = await stage.player.ask<number>("create");
  await stage.player.ask("createPlain");
  const rows: Row[] = [
    {
      name: `${count} applications made on the hub, until they are in the cluster`,
      unit: "s",
      figures: { fairlead: createSeconds },
    },
  ];
  for (const direction of directions) rows.push(...(await measureDirection({ stage, direction, quick, say })));
  say("restarting the hub");
  rows.push(await measureReconcile({ stage, changes: 1, of: count, mostSeconds: 1 }));
  rows.push(await measureReconcile({ stage, changes: count / 10, of: count }));
  rows.push(...measureMemory(stage, count));
  return rows;
}

async function measureDirection(options: {
  stage: ArgoStage;
  direction: Direction;
  quick: boolean;
  say: (text: string) => void;
}): Promise<Row[]> {
  const { stage, direction, quick, say } = options;
  say(`${direction}: one after the other`);
  const pairs = await measurePairs({ stage, direction, seconds: quick ? 4 : 60, rounds: quick ? 1 : 4 });
  const sustained = pairs.figures["fairlead"] ?? 100;
  const seconds = quick ? 3 : 20;
  say(`${direction}: at 50 and 100 a second`);
  return [
    pairs,
    await measureLatency({ stage, direction, perSecond: 50, mostMs: 100, seconds }),
    await measureLatency({ stage, direction, perSecond: 100, mostMs: 300, seconds }),
    ...(await measureRates({ stage, direction, rates: [sustained / 2, sustained, sustained * 2], seconds, say })),
  ];
}
