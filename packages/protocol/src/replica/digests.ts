// Both ends must compute these alike.
import { hash } from "node:crypto";

/** An object's part in its bucket's digest. The uid is in it, so that objects that swap contents are seen. */
export function digestOf(uid: string, version: bigint): bigint {
  const uidBytes = Buffer.byteLength(uid);
  const bytes = Buffer.alloc(uidBytes + 9);
  bytes.write(uid);
  bytes.writeBigUInt64BE(version, uidBytes + 1);
  return hash("sha256", bytes, "buffer").readBigUInt64BE();
}
