// An outcome says how long its log is. Where the rest didn't come, the log says at its end how much is missing.
import { type Kysely, sql } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import { writeMissingMark } from "./write-piece.ts";

/** Ends the logs of which nothing has come for so long that no agent has the rest any more. Returns how many. */
export async function endLostLogs(
  db: Kysely<Tables>,
  { patienceMs = defaultPatienceMs }: { readonly patienceMs?: number | undefined } = {},
): Promise<number> {
  for (let ended = 0; ; ) {
    const some = await db.transaction().execute(async (trx) => {
      await sql`
        insert into command_log (command, cluster, stored_bytes)
        select id, cluster, 0 from command
        where finished_at < ${since(patienceMs)} and log_end > 0
          and not exists (select from command_log where command_log.command = command.id)
        limit ${roundSize}
        on conflict (command) do nothing
      `.execute(trx);
      const { rows } = await sql<{ command: string; bytes: number; log_end: number }>`
        select command, bytes, log_end from command_log join command on command.id = command_log.command
        where finished_at < ${since(patienceMs)} and log_end > bytes and not is_full and not is_gone
          and coalesce(grown_at, finished_at) < ${since(patienceMs)}
        limit ${roundSize} for update of command_log
      `.execute(trx);
      for (const { command, bytes, log_end } of rows)
        await writeMissingMark(trx, { command, start: bytes, missing: log_end - bytes });
      return rows.length;
    });
    ended += some;
    if (some < roundSize) return ended;
  }
}

const since = (ms: number) => sql`clock_timestamp() - ${ms}::float8 * interval '1 millisecond'`;
const roundSize = 100;
/** The disk of an agent that is away may still have the rest. */
const defaultPatienceMs = 24 * 3_600_000;
