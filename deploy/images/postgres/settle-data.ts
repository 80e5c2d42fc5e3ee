// Takes the differences out that each data folder of initdb has: its identifier, the times, a random number
// and the log. As pg_resetwal does, the folder gets a log of one record, the checkpoint of a clean shutdown. All hubs'
// databases then have the same identifier, which only replication would ask for.
// Layouts: src/include/catalog/pg_control.h, access/xlog_internal.h and access/xlogrecord.h of PostgreSQL 18.
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { crc32c } from "./crc32c.ts";

export async function settleData(folder: string): Promise<void> {
  const controlFile = join(folder, "global", "pg_control");
  const logFolder = join(folder, "pg_wal");
  const control = await readFile(controlFile);
  if (control.readUInt32LE(at.version) !== controlVersion) throw new Error("initdb made another kind of control file");
  if (control.readUInt32LE(at.crc) !== crc32c(control.subarray(0, at.crc))) throw new Error("the control file is torn");
  if (control.readInt32LE(at.state) !== shutDown) throw new Error("initdb left a database that wasn't shut down");

  const segmentBytes = control.readUInt32LE(at.segmentBytes);
  const segments = (await readdir(logFolder)).filter((name) => /^[0-9A-F]{24}$/.test(name)).sort();
  const magic = (await readFile(join(logFolder, segments[0] ?? ""))).readUInt16LE(0);
  // The next segment is behind the last record, which may reach into a second segment: no page may be newer than the log.
  const next = Number(control.readBigUInt64LE(at.checkpoint) / BigInt(segmentBytes)) + 2;
  const page = BigInt(next) * BigInt(segmentBytes);

  control.writeBigUInt64LE(identifier, at.identifier);
  control.writeBigInt64LE(0n, at.time);
  control.writeBigUInt64LE(page + BigInt(longHeaderBytes), at.checkpoint);
  control.writeBigUInt64LE(page + BigInt(longHeaderBytes), at.checkpointCopy);
  control.writeBigInt64LE(0n, at.checkpointTime);
  control.fill(0, at.nonce, at.crc);
  control.writeUInt32LE(crc32c(control.subarray(0, at.crc)), at.crc);
  await writeFile(controlFile, control);

  for (const name of segments) await rm(join(logFolder, name));
  const log = Buffer.alloc(segmentBytes);
  toHeader({ magic, page, segmentBytes, blockBytes: control.readUInt32LE(at.logBlockBytes) }).copy(log);
  toRecord(control.subarray(at.checkpointCopy, at.checkpointCopy + checkpointBytes)).copy(log, longHeaderBytes);
  const perId = 2 ** 32 / segmentBytes;
  await writeFile(join(logFolder, ["1", hex(Math.floor(next / perId)), hex(next % perId)].map(pad).join("")), log);
}

/** Makes the header of a segment's first page. */
function toHeader(segment: {
  readonly magic: number;
  readonly page: bigint;
  readonly segmentBytes: number;
  readonly blockBytes: number;
}): Buffer {
  const header = Buffer.alloc(longHeaderBytes);
  header.writeUInt16LE(segment.magic, 0);
  header.writeUInt16LE(longHeader, 2);
  header.writeUInt32LE(timeline, 4);
  header.writeBigUInt64LE(segment.page, 8);
  header.writeBigUInt64LE(identifier, 24);
  header.writeUInt32LE(segment.segmentBytes, 32);
  header.writeUInt32LE(segment.blockBytes, 36);
  return header;
}

/** XLOG_CHECKPOINT_SHUTDOWN of RM_XLOG_ID; both are 0. */
function toRecord(checkpoint: Buffer): Buffer {
  const data = Buffer.concat([Buffer.from([shortData, checkpoint.length]), checkpoint]);
  const header = Buffer.alloc(recordHeaderBytes);
  header.writeUInt32LE(recordHeaderBytes + data.length, 0);
  header.writeUInt32LE(crc32c(data, header.subarray(0, recordCrcAt)), recordCrcAt);
  return Buffer.concat([header, data]);
}

function hex(value: number): string {
  return value.toString(16).toUpperCase();
}

function pad(text: string): string {
  return text.padStart(8, "0");
}

/** Offsets in the control file. */
const at = {
  identifier: 0,
  version: 8,
  state: 16,
  time: 24,
  checkpoint: 32,
  checkpointCopy: 40,
  checkpointTime: 104,
  logBlockBytes: 224,
  segmentBytes: 228,
  nonce: 257,
  crc: 292,
} as const;
const controlVersion = 1800;
const shutDown = 1;
const checkpointBytes = 88;
const longHeaderBytes = 40;
const longHeader = 2;
const timeline = 1;
const recordHeaderBytes = 24;
const recordCrcAt = 20;
const shortData = 255;
const identifier = 0x4661_6972_6c65_6164n;
