// Adds to what is kept of a log.
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { sql, type Transaction } from "kysely";
import type { Tables } from "../../platform/store/index.ts";

/** Small pieces become one: a log of many words isn't one of as many rows. */
export async function writePiece(
  trx: Transaction<Tables>,
  added: {
    readonly command: string;
    readonly start: number;
    readonly bytes: Buffer;
    /** The same as it came. */
    readonly packed: Uint8Array | undefined;
    readonly isFull: boolean;
  },
): Promise<void> {
  const { command, start, bytes, packed, isFull } = added;
  const last = await trx
    .selectFrom("command_log_piece")
    .select(["start", "bytes", "data"])
    .where("command", "=", command)
    .orderBy("start", "desc")
    .limit(1)
    .executeTakeFirst();
  const isJoined = last !== undefined && last.bytes < smallPieceBytes;
  const whole = isJoined ? Buffer.concat([await promisify(gunzip)(last.data), bytes]) : bytes;
  const data = isJoined || packed === undefined ? await promisify(gzip)(whole) : packed;
  const row = { command, start: isJoined ? last.start : start, bytes: whole.byteLength, data };
  const storedBytes = data.byteLength - (isJoined ? last.data.byteLength : 0);
  await trx
    .insertInto("command_log_piece")
    .values(row)
    .onConflict((conflict) => conflict.columns(["command", "start"]).doUpdateSet({ bytes: row.bytes, data: row.data }))
    .execute();
  await trx
    .updateTable("command_log")
    .set({
      bytes: start + bytes.byteLength,
      stored_bytes: sql<number>`stored_bytes + ${storedBytes}`,
      grown_at: sql<Date>`clock_timestamp()`,
      ...(isFull ? { is_full: true } : {}),
    })
    .where("command", "=", command)
    .execute();
}

/** Ends a log whose rest nobody has any more. Returns how many bytes the log grew by. */
export async function writeMissingMark(
  trx: Transaction<Tables>,
  { command, start, missing }: { readonly command: string; readonly start: number; readonly missing: number },
): Promise<number> {
  const bytes = Buffer.from(missingMark(missing));
  await writePiece(trx, { command, start, bytes, packed: undefined, isFull: true });
  return bytes.byteLength;
}

export const missingMark = (bytes: number): string =>
  `\n[fairlead] The log ends here: its last ${bytes} bytes are missing, since the agent lost them before it could send them.\n`;
const smallPieceBytes = 64 * 1024;
