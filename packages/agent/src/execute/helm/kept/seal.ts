// What waits for approval may hold secrets. It waits sealed in the command's record, and the key waits in the namespace of
// the release, which only those who may read the release's own Secrets can read.
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";

export interface Sealed {
  /** Base64. */
  readonly text: string;
  readonly key: Buffer;
}

/** The name is part of it: what was sealed for another command doesn't open for this one. */
export async function seal(value: unknown, name: string): Promise<Sealed> {
  const key = randomBytes(32);
  const nonce = randomBytes(12);
  const packed = await promisify(gzip)(JSON.stringify(value));
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(name));
  const sealed = Buffer.concat([cipher.update(packed), cipher.final()]);
  return { text: Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64"), key };
}

/** Undefined for what was changed, or sealed by another key. */
export async function unseal({ text, key }: Sealed, name: string): Promise<unknown> {
  try {
    const bytes = Buffer.from(text, "base64");
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12), { authTagLength: 16 });
    decipher.setAAD(Buffer.from(name)).setAuthTag(bytes.subarray(12, 28));
    const packed = Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]);
    return JSON.parse((await promisify(gunzip)(packed, { maxOutputLength: mostBytes })).toString());
  } catch {
    return undefined;
  }
}

const mostBytes = 64 * 1024 * 1024;
