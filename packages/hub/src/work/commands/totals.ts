// How many commands there are, for metrics. Those that have ended are counted by the hub that ended them.
import { type Clock, repeat } from "@fairlead/kernel";
import { type Kysely, sql } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import type { CommandTotals } from "../../platform/telemetry/index.ts";
import { claimableStates, heldStates } from "./claims.ts";
import type { Happened } from "./store.ts";

export interface TotalsKeeper extends Disposable {
  note(happened: Happened): void;
  read(): CommandTotals;
}

export function keepCommandTotals(options: { readonly db: Kysely<Tables>; readonly clock: Clock }): TotalsKeeper {
  const { db, clock } = options;
  const finished = new Map<string, number>();
  let counted = { queued: 0, awaiting: 0, awaitingPlan: 0, claimed: 0 };
  // The store itself reports that it is away.
  const counting = repeat({ clock, intervalMs: countEveryMs, firstMs: 0, run: count, onError: () => undefined });
  return {
    note({ after }) {
      if (after.is === "ended") finished.set(after.outcome, (finished.get(after.outcome) ?? 0) + 1);
    },
    read: () => ({ ...counted, finished }),
    [Symbol.dispose]: () => counting[Symbol.dispose](),
  };

  async function count(): Promise<void> {
    const { rows } = await sql<typeof counted>`
      select count(*) filter (where state in ${claimableStates}) as queued,
        count(*) filter (where state in ('gated/awaiting-approval', 'proposed/awaiting-approval')) as awaiting,
        count(*) filter (where state = 'proposed/awaiting-plan-approval') as "awaitingPlan",
        count(*) filter (where state in ${heldStates}) as claimed
      from command where finished_at is null
    `.execute(db);
    counted = rows[0] ?? counted;
  }
}

const countEveryMs = 15_000;
