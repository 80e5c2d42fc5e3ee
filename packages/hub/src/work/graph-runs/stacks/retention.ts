// Runs that have ended are kept for a while, and so many of each stack and of each person; stacks as long as there is something
// of them.
import { type Kysely, sql } from "kysely";
import type { Tables } from "../../../platform/store/index.ts";
import { takeTurn } from "./add-run.ts";

export interface StackRetention {
  readonly keptMs: number;
  /** The most ended runs of each stack. */
  readonly runs: number;
  /** The most ended runs of each person. */
  readonly runsOfOne: number;
}

export async function forgetStackRuns(db: Kysely<Tables>, limits: StackRetention = retention): Promise<number> {
  return await db.transaction().execute(async (trx) => {
    // A stack mustn't get a run while it is forgotten.
    await takeTurn(trx);
    const { rows } = await sql`
      delete from stack_run where id in (
        select id from (
          select id, finished_at, row_number() over (partition by stack order by number desc) as place,
            row_number() over (partition by requester_uid, requester order by number desc) as place_of_one
          from stack_run where finished_at is not null
        ) as kept
        where finished_at < clock_timestamp() - ${limits.keptMs}::float8 * interval '1 millisecond'
          or place > ${limits.runs} or place_of_one > ${limits.runsOfOne}
      ) returning id
    `.execute(trx);
    await sql`
      delete from stack where not exists (select from stack_resource as known where known.stack = stack.name)
        and not exists (select from stack_run as run where run.stack = stack.name)
    `.execute(trx);
    return rows.length;
  });
}

const retention: StackRetention = { keptMs: 30 * 24 * 3_600_000, runs: 50, runsOfOne: 500 };
