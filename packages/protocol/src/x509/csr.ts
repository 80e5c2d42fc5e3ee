// Certificate requests, as the hub reads them. A request proves one thing, that its sender holds a P-256
// key. Names, extensions and attributes in it are never looked at, so nothing here returns them.
import { x509Errors } from "./errors.ts";
import { assertP256PublicKey, keyThumbprint } from "./keys.ts";
import { loadX509, type Pkcs10CertificateRequest } from "./load-x509.ts";

/** All that a request is good for. */
export interface ProvenKey {
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Uint8Array<ArrayBuffer>;
  readonly keyThumbprint: string;
}

/** Checks size, shape, key and self-signature, in that order; throws ENROLL_CSR_*. */
export async function readCsr(csrDer: Uint8Array): Promise<ProvenKey> {
  if (csrDer.length > csrLimitBytes) throw x509Errors.ENROLL_CSR_TOO_LARGE({ limitBytes: csrLimitBytes });
  const { csr, publicKey } = await parseCsr(csrDer);
  assertP256PublicKey(publicKey);
  await assertSignedByOwnKey(csr);
  return { publicKey, keyThumbprint: keyThumbprint(publicKey) };
}

async function parseCsr(
  der: Uint8Array,
): Promise<{ readonly csr: Pkcs10CertificateRequest; readonly publicKey: Uint8Array<ArrayBuffer> }> {
  if (!isOneSequence(der)) throw x509Errors.ENROLL_CSR_MALFORMED();
  const x509 = await loadX509();
  try {
    const csr = new x509.Pkcs10CertificateRequest(new Uint8Array(der));
    return { csr, publicKey: new Uint8Array(csr.publicKey.rawData) };
  } catch (error) {
    throw x509Errors.ENROLL_CSR_MALFORMED({ cause: error });
  }
}

/** The parser beneath tolerates BER and trailing bytes; DER with a definite length that spans all of it does not. */
function isOneSequence(der: Uint8Array): boolean {
  if (der[0] !== 0x30) return false;
  const first = der[1] ?? 0x80;
  if (first < 0x80) return der.length === 2 + first;
  const lengthBytes = first & 0x7f;
  if (lengthBytes === 0 || lengthBytes > 3) return false;
  const length = der.subarray(2, 2 + lengthBytes).reduce((sum, byte) => sum * 256 + byte, 0);
  return der.length === 2 + lengthBytes + length;
}

async function assertSignedByOwnKey(csr: Pkcs10CertificateRequest): Promise<void> {
  const { name, hash } = csr.signatureAlgorithm as { name?: string; hash?: string | { name: string } };
  const hashName = typeof hash === "object" ? hash.name : (hash ?? "");
  if (name !== "ECDSA" || !strongHashes.has(hashName)) throw x509Errors.ENROLL_CSR_SIGNATURE();
  const isValid = await csr.verify().catch((error: unknown) => {
    throw x509Errors.ENROLL_CSR_SIGNATURE({ cause: error });
  });
  if (!isValid) throw x509Errors.ENROLL_CSR_SIGNATURE();
}

const csrLimitBytes = 16 * 1024;
const strongHashes: ReadonlySet<string> = new Set(["SHA-256", "SHA-384", "SHA-512"]);
