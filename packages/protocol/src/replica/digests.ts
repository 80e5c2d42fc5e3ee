// Both ends must compute these alike.
import { hash } from "node:crypto";
import { bucketOf } from "../inventory.ts";

/** XOR of the objects' parts in each bucket. */
export function digestBuckets(
  objects: Iterable<readonly [uid: string, version: bigint]>,
  bucketCount: number,
): bigint[] {
  const digests = Array.from({ length: bucketCount }, () => 0n);
  for (const [uid, version] of objects) {
    const bucket = bucketOf(uid, bucketCount);
    digests[bucket] = (digests[bucket] ?? 0n) ^ digestOf(uid, version);
  }
  return digests;
}

/** An object's part in its bucket's digest. The uid is in it, so that objects that swap contents are seen. */
function digestOf(uid: string, version: bigint): bigint {
  const uidBytes = Buffer.byteLength(uid);
  const bytes = Buffer.alloc(uidBytes + 9);
  bytes.write(uid);
  bytes.writeBigUInt64BE(version, uidBytes + 1);
  return hash("sha256", bytes, "buffer").readBigUInt64BE();
}
