import { createHash, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { keyAlgorithm } from "./algorithms.ts";
import { x509Errors } from "./errors.ts";

/** SHA-256 over the SubjectPublicKeyInfo, hex: names a key without the certificate around it. */
export function keyThumbprint(publicKey: KeyObject | Uint8Array): string {
  const spki = publicKey instanceof Uint8Array ? publicKey : publicKey.export({ type: "spki", format: "der" });
  return createHash("sha256").update(spki).digest("hex");
}

/**
 * Lets through only the one encoding of a P-256 key that we sign: named curve, uncompressed point, nothing around it.
 * Explicit curve parameters (CVE-2020-0601), compressed points and other curves all differ in the first 27 bytes.
 */
export function assertP256PublicKey(spki: Uint8Array): void {
  const bytes = Buffer.from(spki);
  if (bytes.length !== 91 || !bytes.subarray(0, 27).equals(p256SpkiPrefix)) throw x509Errors.ENROLL_CSR_KEY();
  try {
    createPublicKey({ key: bytes, format: "der", type: "spki" }); // refuses a point that isn't on the curve
  } catch (error) {
    throw x509Errors.ENROLL_CSR_KEY({ cause: error });
  }
}

export async function createKeyPair(): Promise<{ readonly keys: CryptoKeyPair; readonly keyPem: string }> {
  const keys = (await crypto.subtle.generateKey(keyAlgorithm, true, ["sign", "verify"])) as CryptoKeyPair;
  const pkcs8 = Buffer.from(await crypto.subtle.exportKey("pkcs8", keys.privateKey));
  const key = createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" });
  return { keys, keyPem: key.export({ type: "pkcs8", format: "pem" }).toString() };
}

export async function importKeyPair(keyPem: string): Promise<CryptoKeyPair> {
  try {
    const key = createPrivateKey(keyPem);
    const pkcs8 = new Uint8Array(key.export({ type: "pkcs8", format: "der" }));
    const spki = new Uint8Array(createPublicKey(key).export({ type: "spki", format: "der" }));
    return {
      privateKey: await crypto.subtle.importKey("pkcs8", pkcs8, keyAlgorithm, true, ["sign"]),
      publicKey: await crypto.subtle.importKey("spki", spki, keyAlgorithm, true, ["verify"]),
    };
  } catch (error) {
    throw x509Errors.PKI_AUTHORITY_BROKEN({ message: "The private key isn't a P-256 key in PEM.", cause: error });
  }
}

type CryptoKeyPair = Readonly<{ privateKey: CryptoKey; publicKey: CryptoKey }>;
type CryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const p256SpkiPrefix = Buffer.from("3059301306072a8648ce3d020106082a8648ce3d03010703420004", "hex");
