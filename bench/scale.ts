// Thousands of agents at one hub; several hubs on one database, of which one is killed and all are restarted; and what a
// neighbour of the hub that has a cluster's link does as well as that one.
import { loadavg } from "node:os";
import { ensureBuilt } from "@fairlead/testkit";
import { formatTable, type Row } from "./harness/table.ts";
import { measureFarSubscriber } from "./scale/far-subscriber.ts";
import { measureWideFleet } from "./scale/fleet.ts";
import { measureManyAgents } from "./scale/many-agents.ts";
import { measureNeighbour } from "./scale/neighbour.ts";
import { measureRestarts } from "./scale/restarts.ts";
import { setScaleStage } from "./scale/stage.ts";

export interface ScaleOptions {
  readonly json: boolean;
  readonly quick: boolean;
  /** Idle agents at one hub; 10,000 unless told, 1,000 if it is to be quick. */
  readonly agents?: number | undefined;
  /** All unless named. */
  readonly part?: string | undefined;
}

interface Part {
  readonly columns: readonly string[];
  run(options: { quick: boolean; agents: number; say: (text: string) => void }): Promise<Row[]>;
}

export async function runScaleBench(options: ScaleOptions): Promise<void> {
  const { json, quick, agents = quick ? 1_000 : 10_000, part } = options;
  const startedAt = performance.now();
  const say = (text: string) => {
    const atSeconds = Math.round((performance.now() - startedAt) / 1000);
    process.stderr.write(`${atSeconds} s (load ${loadavg()[0]?.toFixed(1)}): ${text}\n`);
  };
  const chosen = Object.entries(parts).filter(([name]) => part === undefined || name === part);
  if (chosen.length === 0) throw new Error(`there is no part ${part}, but ${Object.keys(parts).join(", ")}`);
  await ensureBuilt();
  const measured: Record<string, Row[]> = {};
  for (const [name, { columns, run }] of chosen) {
    say(name);
    const rows = await run({ quick, agents, say });
    measured[name] = rows;
    if (!json) console.log(`\n${formatTable(columns, rows)}`);
  }
  say("done");
  if (json) console.log(JSON.stringify({ bench: "scale", parts: measured }, undefined, 2));
}

const parts: Readonly<Record<string, Part>> = {
  neighbour: {
    columns: ["direct", "own hub", "proxy", "neighbour", "ratio"],
    async run({ quick, say }) {
      await using stage = await setScaleStage();
      return await measureNeighbour({ stage, rounds: quick ? 1 : 2, warmUpMs: 5_000, say });
    },
  },
  changes: {
    columns: ["own hub", "neighbour", "ratio"],
    run: ({ quick, say }) => measureFarSubscriber({ perSecond: 5_000, durationMs: quick ? 5_000 : 10_000, say }),
  },
  fleet: {
    columns: ["own hub", "neighbour", "ratio"],
    run: ({ quick, say }) => measureWideFleet({ clusters: quick ? 100 : 1_000, perCluster: 300, say }),
  },
  restarts: {
    columns: ["fairlead"],
    run: ({ quick, say }) => measureRestarts({ idle: quick ? 30 : 300, say }),
  },
  agents: {
    columns: ["bare TLS", "fairlead", "ratio", "p50"],
    run: ({ agents, say }) => measureManyAgents({ count: agents, say }),
  },
};
