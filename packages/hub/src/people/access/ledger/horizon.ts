import { type Kysely, sql } from "kysely";
import type { Tables } from "../../../platform/store/index.ts";

/**
 * The oldest transaction that may still be under way. A reader that has read all rows, and reads later those of
 * `changed_xid` from here on, misses none. It goes back when the database is another one, such as a backup that was
 * restored: then all rows must be read.
 */
export async function readHorizon(trx: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ xmin: number | string }>`
    select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as xmin
  `.execute(trx);
  return Number(rows[0]?.xmin ?? 0);
}
