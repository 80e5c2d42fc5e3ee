// How many commands there are, for metrics. Those that have ended are counted by the hub that ended them.
import { type Clock, createHistogram, repeat } from "@fairlead/kernel";
import { type Kysely, sql } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import type { ClusterCommands, CommandTotals, OpenCommands } from "../../platform/telemetry/index.ts";
import { claimableStates, heldStates } from "./claims.ts";
import type { Happened } from "./store.ts";

export interface TotalsKeeper extends Disposable {
  note(happened: Happened): void;
  read(): CommandTotals;
}

export function keepCommandTotals(options: {
  readonly db: Kysely<Tables>;
  /** Of a cluster that is gone nothing is kept. */
  readonly exists: (cluster: string) => boolean;
  readonly clock: Clock;
}): TotalsKeeper {
  const { db, exists, clock } = options;
  const finished = new Map<string, number>();
  const byCluster = new Map<string, ClusterCommands>();
  let open = nothing;
  // The store itself reports that it is away.
  const counting = repeat({ clock, intervalMs: countEveryMs, firstMs: 0, run: count, onError: () => undefined });
  return {
    note({ after, row }) {
      if (after.is !== "ended") return;
      add(finished, after.outcome);
      const ofCluster = need(row.cluster);
      add(ofCluster.finished, after.outcome);
      if (row.finished_at) ofCluster.durations.observe((row.finished_at.getTime() - row.created_at.getTime()) / 1000);
    },
    read: () => ({ open, finished, byCluster }),
    [Symbol.dispose]: () => counting[Symbol.dispose](),
  };

  async function count(): Promise<void> {
    const { rows } = await sql<OpenCommands & { readonly cluster: string }>`
      select cluster, count(*) filter (where state in ${claimableStates}) as queued,
        count(*) filter (where state in ('gated/awaiting-approval', 'proposed/awaiting-approval')) as awaiting,
        count(*) filter (where state = 'proposed/awaiting-plan-approval') as "awaitingPlan",
        count(*) filter (where state in ${heldStates}) as claimed
      from command where finished_at is null group by cluster
    `.execute(db);
    open = rows.reduce(sum, nothing);
    for (const name of byCluster.keys()) if (!exists(name)) byCluster.delete(name);
    for (const known of byCluster.values()) known.open = nothing;
    for (const { cluster, ...counts } of rows) if (exists(cluster)) need(cluster).open = counts;
  }

  function need(cluster: string): ClusterCommands {
    const known = byCluster.get(cluster);
    if (known !== undefined) return known;
    const fresh = { open: nothing, finished: new Map(), durations: createHistogram(durationBoundsSeconds) };
    byCluster.set(cluster, fresh);
    return fresh;
  }
}

function sum(one: OpenCommands, other: OpenCommands): OpenCommands {
  return {
    queued: one.queued + other.queued,
    awaiting: one.awaiting + other.awaiting,
    awaitingPlan: one.awaitingPlan + other.awaitingPlan,
    claimed: one.claimed + other.claimed,
  };
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

const nothing: OpenCommands = { queued: 0, awaiting: 0, awaitingPlan: 0, claimed: 0 };
const durationBoundsSeconds = [0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 21_600, 86_400];
const countEveryMs = 15_000;
