// A command's log from an offset on, a piece at a time; followed, it goes on until the command has ended and all of its log
// is there, or isn't likely to come any more.
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { type Clock, orAbort, sleep } from "@fairlead/kernel";
import { type Kysely, sql } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import { type TimedBytes, timeBytes } from "./arrivals.ts";
import { runErrors } from "./errors.ts";

export interface LogReader {
  /** How much of it is there now. Throws COMMAND_LOG_GONE. */
  size(command: string): Promise<number>;
  /** Throws COMMAND_LOG_GONE. Ends with the command when it follows, and with what there is when it doesn't. */
  read(options: LogReading): AsyncGenerator<Uint8Array>;
  /** The same, with the times at which the bytes came. */
  readTimed(options: LogReading): AsyncGenerator<TimedBytes>;
}

export interface LogReading {
  readonly command: string;
  readonly offset: number;
  readonly isFollowed: boolean;
  readonly signal: AbortSignal;
}

export function createLogReader(options: {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  /** Calls back when the command has more of a log, or has ended. */
  readonly onGrown: (command: string, listener: () => void) => Disposable;
  /** From one look to the next when nobody says that there is more. */
  readonly lookMs?: number;
}): LogReader {
  const { db, clock, onGrown, lookMs = 2_000 } = options;
  return {
    size: async (command) => (await readProgress(db, command)).bytes,
    read,
    readTimed: (reading) => timeBytes(db, { ...reading, pieces: read(reading) }),
  };

  async function* read({ command, offset, isFollowed, signal }: LogReading): AsyncGenerator<Uint8Array> {
    let next = offset;
    let grown = Promise.withResolvers<void>();
    using _listening = onGrown(command, () => grown.resolve());
    while (!signal.aborted) {
      const heard = Promise.withResolvers<void>();
      grown = heard;
      const { bytes, isComplete } = await readProgress(db, command);
      while (next < bytes && !signal.aborted) {
        const piece = await readPiece(db, { command, offset: next });
        if (piece === undefined) throw runErrors.COMMAND_LOG_GONE();
        next += piece.byteLength;
        yield piece;
      }
      if (!isFollowed || isComplete) return;
      const waiting = new AbortController();
      const look = sleep(lookMs, { clock, signal: waiting.signal }).catch(() => undefined);
      await orAbort(Promise.race([heard.promise, look]), signal).catch(() => undefined);
      waiting.abort();
    }
  }
}

async function readProgress(
  db: Kysely<Tables>,
  command: string,
): Promise<{ readonly bytes: number; readonly isComplete: boolean }> {
  const { rows } = await sql<{ bytes: number; is_gone: boolean; is_complete: boolean }>`
    select coalesce(bytes, 0)::bigint as bytes, coalesce(is_gone, false) as is_gone,
      finished_at is not null and (
        coalesce(bytes, 0) >= coalesce(log_end, 0) or is_full
        or greatest(finished_at, grown_at) < clock_timestamp() - interval '1 minute'
      ) as is_complete
    from command left join command_log on command_log.command = command.id where command.id = ${command}
  `.execute(db);
  const [row] = rows;
  if (row?.is_gone) throw runErrors.COMMAND_LOG_GONE();
  // It was forgotten while it was read.
  return { bytes: row?.bytes ?? 0, isComplete: row?.is_complete ?? true };
}

/** Reads the piece with this offset, from the offset on. */
async function readPiece(
  db: Kysely<Tables>,
  { command, offset }: { readonly command: string; readonly offset: number },
): Promise<Uint8Array | undefined> {
  const row = await db
    .selectFrom("command_log_piece")
    .select(["start", "data"])
    .where("command", "=", command)
    .where("start", "<=", offset)
    .orderBy("start", "desc")
    .limit(1)
    .executeTakeFirst();
  const piece = row && (await promisify(gunzip)(row.data)).subarray(offset - row.start);
  return piece && piece.byteLength > 0 ? piece : undefined;
}
