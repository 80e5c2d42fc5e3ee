// How an authority's private key lies on disk: as it is, or encrypted by a key that the operator keeps elsewhere.
// AES-256-GCM under a random nonce; the id of the key and the purpose are authenticated with it.
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { describeCertificate } from "@fairlead/protocol/x509";
import { pkiErrors } from "./errors.ts";

export interface KeySeal {
  /** `isCurrent` is false for what should be written again by `close`. */
  open(text: string, purpose: string): { readonly keyPem: string; readonly isCurrent: boolean };
  /** By the first of the keys, or by the one that is named. */
  close(keyPem: string, purpose: string, keyId?: string): string;
  /** Tell the keys from others: the one that is used, then the one until now. None: keys lie on disk as they are. */
  readonly keyIds: readonly string[];
}

export interface KeySealFiles {
  /** 32 bytes in base64 or hex. Undefined: keys lie on disk as they are. */
  readonly file?: string | undefined;
  /** Keys were encrypted by it until now. */
  readonly previousFile?: string | undefined;
}

export async function readKeySeal({ file, previousFile }: KeySealFiles): Promise<KeySeal> {
  const current = file === undefined ? undefined : await readSealingKey(file);
  const previous = previousFile === undefined ? undefined : await readSealingKey(previousFile);
  const known = [current, previous].filter((key) => key !== undefined);

  return {
    open(text, purpose) {
      const sealed = parseSealed(text);
      if (!sealed) return { keyPem: text, isCurrent: current === undefined };
      if (current === undefined) throw pkiErrors.PKI_KEY_ENCRYPTION_KEY_MISSING({ keyId: sealed.keyId });
      const key = known.find(({ id }) => id === sealed.keyId);
      if (!key) throw pkiErrors.PKI_KEY_ENCRYPTION_KEY_WRONG({ keyId: sealed.keyId, given: current.id });
      return { keyPem: decrypt(sealed, key, purpose), isCurrent: key === current };
    },
    close(keyPem, purpose, keyId = current?.id) {
      if (keyId === undefined) return keyPem;
      const key = known.find(({ id }) => id === keyId);
      if (!key) throw pkiErrors.PKI_KEY_ENCRYPTION_KEY_WRONG({ keyId, given: current?.id ?? "none" });
      return encrypt(keyPem, key, purpose);
    },
    keyIds: current === undefined ? [] : [...new Set(known.map(({ id }) => id))],
  };
}

/** A key is sealed for its own certificate: one that was put in another's place can't be opened. */
export function purposeOf(certPem: string): string {
  try {
    return `ca-key ${describeCertificate(certPem).fingerprint}`;
  } catch {
    // Loading the authority says what is wrong with it.
    return "ca-key";
  }
}

interface SealingKey {
  readonly bytes: Buffer;
  /** Tells one key from another and nothing else about it. */
  readonly id: string;
}

interface Sealed {
  readonly keyId: string;
  readonly nonce: string;
  readonly data: string;
  readonly tag: string;
}

async function readSealingKey(path: string): Promise<SealingKey> {
  const bytes = await readBytes(path);
  if (bytes === undefined) {
    throw pkiErrors.PKI_KEY_ENCRYPTION_KEY_INVALID({ path, reason: "it doesn't contain 32 bytes in base64 or hex" });
  }
  return { bytes, id: createHash("sha256").update("fairlead key id\0").update(bytes).digest("hex").slice(0, 16) };
}

async function readBytes(path: string): Promise<Buffer | undefined> {
  let text: string;
  try {
    const { mode } = await stat(path);
    if ((mode & 0o027) !== 0) {
      const reason = `its mode ${(mode & 0o777).toString(8)} lets others read or its group write it`;
      throw pkiErrors.PKI_KEY_ENCRYPTION_KEY_INVALID({ path, reason });
    }
    text = (await readFile(path, "utf8")).trim();
  } catch (cause) {
    if (pkiErrors.is(cause, "PKI_KEY_ENCRYPTION_KEY_INVALID")) throw cause;
    throw pkiErrors.PKI_KEY_ENCRYPTION_KEY_INVALID({ path, reason: "it can't be read", cause });
  }
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, "hex");
  const bytes = /^[\w+/-]{43}=?$/.test(text) ? Buffer.from(text, "base64") : undefined;
  return bytes?.length === 32 ? bytes : undefined;
}

function encrypt(keyPem: string, key: SealingKey, purpose: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv(algorithm, key.bytes, nonce);
  cipher.setAAD(associated(key.id, purpose));
  const data = Buffer.concat([cipher.update(keyPem, "utf8"), cipher.final()]);
  const tag = cipher.getAuthTag();
  const [nonceText, dataText, tagText] = [nonce, data, tag].map((bytes) => bytes.toString("base64"));
  return `${JSON.stringify({ [marker]: algorithm, keyId: key.id, nonce: nonceText, data: dataText, tag: tagText })}\n`;
}

function decrypt({ keyId, nonce, data, tag }: Sealed, key: SealingKey, purpose: string): string {
  try {
    const decipher = createDecipheriv(algorithm, key.bytes, Buffer.from(nonce, "base64"), { authTagLength: 16 });
    decipher.setAAD(associated(keyId, purpose));
    decipher.setAuthTag(Buffer.from(tag, "base64"));
    return Buffer.concat([decipher.update(Buffer.from(data, "base64")), decipher.final()]).toString("utf8");
  } catch (cause) {
    throw pkiErrors.PKI_SEALED_KEY_DAMAGED({ cause });
  }
}

function associated(keyId: string, purpose: string): Buffer {
  return Buffer.from(["fairlead.sealed.v1", keyId, purpose].join("\n"));
}

/** Undefined for a key in PEM, and for anything else that never was sealed. */
function parseSealed(text: string): Sealed | undefined {
  if (!text.trimStart().startsWith("{")) return undefined;
  try {
    const value = JSON.parse(text) as Record<string, unknown>;
    const { keyId, nonce, data, tag } = value;
    const isText = [keyId, nonce, data, tag].every((member) => typeof member === "string");
    if (value[marker] === algorithm && isText) return { keyId, nonce, data, tag } as Sealed;
  } catch (cause) {
    throw pkiErrors.PKI_SEALED_KEY_DAMAGED({ cause });
  }
  throw pkiErrors.PKI_SEALED_KEY_DAMAGED();
}

const algorithm = "aes-256-gcm";
const marker = "fairleadSealed";
