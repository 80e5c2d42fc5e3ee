// Takes pieces of logs from agents. The hub acknowledges by the offset up to which it has the log, and the agent goes
// on from there, whatever it sent: pieces may come twice, overlap, or come too early. Only the agent that has claimed
// the command is heard.
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { Clock } from "@fairlead/kernel";
import { type Kysely, sql, type Transaction } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import { noteArrival } from "./arrivals.ts";
import { createClusterPace } from "./cluster-pace.ts";
import { createClusterTurns } from "./cluster-turns.ts";
import { endIfIdle } from "./end-if-idle.ts";
import { runErrors } from "./errors.ts";
import { writeMissingMark, writePiece } from "./write-piece.ts";

export interface LogPiece {
  readonly cluster: string;
  readonly command: string;
  readonly epoch: number;
  /** The offset of its first byte, before compression. */
  readonly offset: number;
  /** Gzip. */
  readonly chunk: Uint8Array;
  /** The agent has no more of the log than this. */
  readonly isRestLost?: boolean | undefined;
}

export interface LogAnswer {
  /** All before it is kept. */
  readonly offset: number;
  /** False: nothing more is taken. */
  readonly accepted: boolean;
  readonly waitMs: number;
}

export interface LogIntake {
  /** Throws COMMAND_LOG_INVALID, COMMAND_LOG_BUSY. */
  append(piece: LogPiece): Promise<LogAnswer>;
}

export function createLogIntake(options: {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  /** After more of the log is there. */
  readonly onGrown: (grown: { readonly command: string; readonly cluster: string; readonly bytes: number }) => void;
  readonly limits?: Partial<LogLimits> | undefined;
}): LogIntake {
  const { db, clock, onGrown } = options;
  const limits = { ...logLimits, ...options.limits };
  const turns = createClusterTurns({ ofCluster: 1, ofAll: 3, waiting: 8, busy: runErrors.COMMAND_LOG_BUSY });
  const pace = createClusterPace({ clock, bytesPerSecond: limits.bytesPerSecond });

  return {
    append: ({ chunk, ...piece }) =>
      turns.run(piece.cluster, async () => {
        const bytes = await unpack(chunk);
        const answer = await db.transaction().execute(async (trx) => {
          const added = await add(trx, { ...piece, chunk, bytes }, limits);
          if (added.grownBytes > 0) await noteArrival(trx, { ...piece, ...added });
          return added;
        });
        const { grownBytes, ...rest } = answer;
        if (grownBytes > 0) onGrown({ command: piece.command, cluster: piece.cluster, bytes: grownBytes });
        return { ...rest, waitMs: pace.take(piece.cluster, bytes.byteLength) };
      }),
  };
}

export interface LogLimits {
  readonly commandBytes: number;
  /** The most bytes of a cluster's logs, as they are kept. */
  readonly clusterBytes: number;
  /** A log that is shorter, as kept, goes on whatever the others of its cluster take. */
  readonly sureBytes: number;
  /** The most that a cluster should send. */
  readonly bytesPerSecond: number;
}

const mebibyte = 1024 * 1024;
export const logLimits: LogLimits = {
  commandBytes: 1024 * mebibyte,
  clusterBytes: 1024 * mebibyte,
  sureBytes: 16 * mebibyte,
  bytesPerSecond: 8 * mebibyte,
};

async function unpack(chunk: Uint8Array): Promise<Buffer> {
  try {
    if (chunk.byteLength > 2 * maxChunkBytes) throw new Error("too large");
    return await promisify(gunzip)(chunk, { maxOutputLength: maxChunkBytes });
  } catch (cause) {
    throw runErrors.COMMAND_LOG_INVALID({ reason: `it isn't gzip of at most ${maxChunkBytes} bytes`, cause });
  }
}

interface UnpackedPiece extends LogPiece {
  readonly bytes: Buffer;
}

async function add(
  trx: Transaction<Tables>,
  piece: UnpackedPiece,
  limits: LogLimits,
): Promise<Omit<LogAnswer, "waitMs"> & { readonly grownBytes: number }> {
  const { command, offset, bytes, chunk } = piece;
  const log = await lockLog(trx, piece);
  if (!log) return { offset: 0, accepted: false, grownBytes: 0 };
  const kept = log.bytes;
  if (!log.is_open || log.is_full || log.is_gone) return { offset: kept, accepted: false, grownBytes: 0 };
  const news = offset > kept ? Buffer.alloc(0) : bytes.subarray(kept - offset);
  const mostBytes = (await hasShare(trx, piece, log, limits)) ? limits.commandBytes : kept;
  const end = Math.min(log.log_end ?? Number.POSITIVE_INFINITY, mostBytes);
  const taken = news.subarray(0, Math.max(0, end - kept));
  const isFull = kept + news.byteLength > mostBytes;
  const added = isFull ? Buffer.concat([taken, Buffer.from(fullMark)]) : taken;
  const packed = added.byteLength === bytes.byteLength && !isFull ? chunk : undefined;
  if (added.byteLength > 0) await writePiece(trx, { command, start: kept, bytes: added, packed, isFull });
  const next = kept + taken.byteLength;
  const missing = (log.log_end ?? 0) - next;
  if (!piece.isRestLost || isFull || missing <= 0)
    return { offset: next, accepted: !isFull, grownBytes: added.byteLength };
  const markBytes = await writeMissingMark(trx, { command, start: next, missing });
  return { offset: next, accepted: false, grownBytes: added.byteLength + markBytes };
}

/** Logs of commands that have ended make room; those of commands that go on don't. */
async function hasShare(
  trx: Transaction<Tables>,
  { cluster }: Pick<LogPiece, "cluster">,
  { stored_bytes }: LockedLog,
  { clusterBytes, sureBytes }: LogLimits,
): Promise<boolean> {
  if (stored_bytes < sureBytes) return true;
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(stored_bytes), 0)::bigint as bytes
    from command_log join command on command.id = command_log.command
    where command_log.cluster = ${cluster} and finished_at is null and not is_gone
  `.execute(trx);
  return (rows[0]?.bytes ?? 0) < clusterBytes;
}

/** A claim waits for the end of this: an agent never begins at an offset that another one is just moving. */
async function lockLog(
  trx: Transaction<Tables>,
  { command, cluster, epoch }: Pick<LogPiece, "command" | "cluster" | "epoch">,
): Promise<LockedLog | undefined> {
  const { rows } = await sql<Pick<LockedLog, "is_open" | "log_end">>`
    select ${endIfIdle} as idle, log_end, finished_at is null
      or greatest(finished_at, (select grown_at from command_log where command = id)) > clock_timestamp() - interval '10 minutes'
      as is_open
    from command where id = ${command} and cluster = ${cluster} and epoch = ${epoch} and epoch > 0 for share
  `.execute(trx);
  if (!rows[0]) return undefined;
  await trx
    .insertInto("command_log")
    .values({ command, cluster })
    .onConflict((conflict) => conflict.column("command").doNothing())
    .execute();
  const log = await trx
    .selectFrom("command_log")
    .select(["bytes", "is_full", "is_gone", "stored_bytes"])
    .where("command", "=", command)
    .forUpdate()
    .executeTakeFirstOrThrow();
  // An agent that comes back after hours still has what it owes.
  const isOwed = (rows[0].log_end ?? 0) > log.bytes;
  return { ...log, log_end: rows[0].log_end, is_open: rows[0].is_open || isOwed };
}

interface LockedLog {
  readonly bytes: number;
  readonly is_full: boolean;
  readonly is_gone: boolean;
  readonly stored_bytes: number;
  /** The command goes on, its log came until just now, or its outcome says that the log is longer. */
  readonly is_open: boolean;
  /** Of a command that has ended: the length of its log. */
  readonly log_end: number | null;
}

const maxChunkBytes = mebibyte;
export const fullMark = "\n[fairlead] The log is full: what came after this isn't kept.\n";
