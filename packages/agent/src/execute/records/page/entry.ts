// A record as it lies in a page, under the id of its command.
import { randomBytes } from "node:crypto";
import { executeErrors } from "../../errors.ts";
import { decodeRecord, encodeRecord } from "../encode.ts";
import type { CommandRecord } from "../types.ts";

/** `version` is another one with each write. `moved`: it has grown too large for the page, and has a Secret of its own. */
export type Entry = { readonly version: string } & (
  | { readonly is: "here"; readonly record: CommandRecord }
  | { readonly is: "moved" }
);

/** Undefined for one that is too large for a page. Throws COMMAND_STATE_TOO_LARGE. */
export async function encodeEntry(record: CommandRecord, version: string): Promise<Buffer | undefined> {
  const bytes = await encodeRecord(record);
  return bytes.length > mostEntryBytes ? undefined : join(version, bytes);
}

/** Outside of Node's pool: pages are kept for a while, and each of their entries would keep the 8 KiB that it was cut from. */
function join(version: string, bytes: Uint8Array): Buffer {
  const entry = Buffer.allocUnsafeSlow(versionLength + 1 + bytes.length);
  entry.write(`${version} `, "latin1");
  entry.set(bytes, versionLength + 1);
  return entry;
}

export function encodeMoved(version: string): Buffer {
  return Buffer.from(`${version} ${moved}`);
}

/** Throws COMMAND_RECORD_INVALID. */
export async function decodeEntry(bytes: Buffer, place: string): Promise<Entry> {
  const version = versionOf(bytes);
  const rest = bytes.subarray(versionLength + 1);
  if (version === undefined) throw executeErrors.COMMAND_RECORD_INVALID({ place });
  if (rest.toString("latin1") === moved) return { version, is: "moved" };
  return { version, is: "here", record: await decodeRecord(rest, place) };
}

/** Undefined for what is no entry. */
export function versionOf(bytes: Buffer): string | undefined {
  const text = bytes.subarray(0, versionLength + 1).toString("latin1");
  return /^[0-9a-f]{12} $/.test(text) ? text.slice(0, versionLength) : undefined;
}

export function newVersion(): string {
  return randomBytes(versionLength / 2).toString("hex");
}

const versionLength = 12;
const moved = "moved";
const mostEntryBytes = 4 * 1024;
