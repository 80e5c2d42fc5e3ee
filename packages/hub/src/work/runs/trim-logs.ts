// The logs of a cluster take a bounded part of the store, as they are kept there: the oldest of commands that have ended go first.
import { type Kysely, sql } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import { logLimits } from "./append-log.ts";

/** Removes the oldest logs of one cluster, or of each, until the rest fits. */
export async function trimLogs(
  db: Kysely<Tables>,
  {
    cluster,
    limitBytes = logLimits.clusterBytes,
  }: { readonly cluster?: string; readonly limitBytes?: number | undefined } = {},
): Promise<number> {
  const isWanted = cluster === undefined ? sql`true` : sql`command_log.cluster = ${cluster}`;
  const { rows } = await sql<{ command: string }>`
    with kept as (
      select command_log.command, finished_at, sum(stored_bytes) over (
        partition by command_log.cluster order by finished_at desc nulls first, number desc
      ) as total
      from command_log join command on command.id = command_log.command where not is_gone and bytes > 0 and ${isWanted}
    ), surplus as (
      select command from kept where total > ${limitBytes} and finished_at is not null
    ), gone as (
      update command_log set is_gone = true from surplus where command_log.command = surplus.command
    ), emptied as (
      delete from command_log_piece using surplus where command_log_piece.command = surplus.command
    ), timeless as (
      delete from command_log_arrival using surplus where command_log_arrival.command = surplus.command
    )
    select command from surplus
  `.execute(db);
  return rows.length;
}
