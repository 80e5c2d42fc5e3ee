// When the bytes of a log came, so that people can see when each line was said.
import { type Kysely, sql } from "kysely";
import type { Tables } from "../../platform/store/index.ts";

export interface TimedBytes {
  readonly bytes: Uint8Array;
  /** Undefined for what came before the hub noted times. */
  readonly at: Date | undefined;
}

/** After bytes were added. One time a second is enough, and bounds how many there are. */
export async function noteArrival(
  db: Kysely<Tables>,
  { command, grownBytes }: { readonly command: string; readonly grownBytes: number },
): Promise<void> {
  await sql`
    insert into command_log_arrival (command, start, at)
    select command, bytes - ${grownBytes}, clock_timestamp() from command_log
    where command = ${command} and not exists (
      select from command_log_arrival as earlier
      where earlier.command = ${command} and earlier.at > clock_timestamp() - interval '1 second'
    )
    on conflict do nothing
  `.execute(db);
}

/** Takes the pieces of a log from an offset on apart by the times at which they came. */
export async function* timeBytes(
  db: Kysely<Tables>,
  log: { readonly command: string; readonly offset: number; readonly pieces: AsyncIterable<Uint8Array> },
): AsyncGenerator<TimedBytes> {
  let offset = log.offset;
  for await (const piece of log.pieces) {
    const arrivals = await listArrivals(db, { ...log, from: offset, to: offset + piece.byteLength });
    for (const part of takeApart(piece, offset, arrivals)) yield part;
    offset += piece.byteLength;
  }
}

export interface LogArrival {
  readonly start: number;
  readonly at: Date;
}

/** `offset` is that of the piece. Arrivals are in their order; the first may be of bytes before. Pure. */
export function* takeApart(piece: Uint8Array, offset: number, arrivals: readonly LogArrival[]): Generator<TimedBytes> {
  let done = 0;
  let at: Date | undefined;
  for (const arrival of arrivals) {
    const begin = Math.min(arrival.start - offset, piece.byteLength);
    if (begin > done) {
      yield { bytes: piece.subarray(done, begin), at };
      done = begin;
    }
    at = arrival.at;
  }
  if (done < piece.byteLength) yield { bytes: piece.subarray(done), at };
}

async function listArrivals(
  db: Kysely<Tables>,
  { command, from, to }: { readonly command: string; readonly from: number; readonly to: number },
): Promise<readonly LogArrival[]> {
  const { rows } = await sql<LogArrival>`
    select start, at from command_log_arrival
    where command = ${command} and start < ${to} and start >= coalesce(
      (select max(start) from command_log_arrival where command = ${command} and start <= ${from}), 0
    ) order by start
  `.execute(db);
  return rows;
}
