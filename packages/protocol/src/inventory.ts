// Both ends of the inventory's call must compute these alike: an object's version, and the bucket it is compared in.
import { hash } from "node:crypto";
import { Code, ConnectError } from "@connectrpc/connect";

/** FNV-1a, 32 bits, unsigned, over the UTF-8 of a uid. */
export function hashUid(uid: string): number {
  let state = fnvOffset;
  for (let at = 0; at < uid.length; at++) {
    const unit = uid.charCodeAt(at);
    if (unit > 0x7f) return hashBytes(Buffer.from(uid));
    state = Math.imul(state ^ unit, fnvPrime);
  }
  return state >>> 0;
}

/** `bucketCount` is a power of two. */
export function bucketOf(uid: string, bucketCount: number): number {
  return hashUid(uid) & (bucketCount - 1);
}

/** The power of two that leaves about 64 objects to a bucket. */
export function chooseBucketCount(objects: number): number {
  const exponent = Math.round(Math.log2(Math.max(1, objects / objectsPerBucket)));
  return Math.min(maxBucketCount, 2 ** exponent);
}

/** An object's version: the first eight bytes of the SHA-256 of its projection, big endian. */
export function toVersion(json: Uint8Array): bigint {
  return hash("sha256", json, "buffer").readBigUInt64BE();
}

/** Says of an object that was too large which of its parts the agent left out. */
export const cutAnnotation = "fairlead.dev/cut";

/** Why the hub ends or refuses an agent's call. */
export type InventoryRefusal = "INVENTORY_CLUSTER_REPLACED" | "INVENTORY_NOT_LEADER";

/** As it crosses the wire: the code stands in front of the message, as with every typed call. */
export function formatInventoryRefusal(code: InventoryRefusal, message: string): ConnectError {
  return new ConnectError(`${code}: ${message}`, Code.FailedPrecondition);
}

export function parseInventoryRefusal(error: unknown): InventoryRefusal | undefined {
  const code = error instanceof ConnectError ? error.rawMessage.split(":", 1)[0] : undefined;
  return refusals.find((refusal) => refusal === code);
}

function hashBytes(bytes: Uint8Array): number {
  let state = fnvOffset;
  for (const byte of bytes) state = Math.imul(state ^ byte, fnvPrime);
  return state >>> 0;
}

export const maxBucketCount = 65_536;
const objectsPerBucket = 64;
const fnvOffset = 0x811c9dc5;
const fnvPrime = 0x01000193;
const refusals: readonly InventoryRefusal[] = ["INVENTORY_CLUSTER_REPLACED", "INVENTORY_NOT_LEADER"];

/** Ours, with all groups below it: what a cluster itself defines there is neither observed nor kept. */
export function isReservedGroup(group: string): boolean {
  return group === reservedGroup || group.endsWith(`.${reservedGroup}`);
}

/** The group of the objects that agents derive from what is in their cluster. */
export const reservedGroup = "fairlead.dev";
