// Certificate requests: made by agents, read by the hub. A request proves one thing, that its sender holds a P-256
// key. Names, extensions and attributes in it are never looked at, so nothing here returns them.
import { csrMalformed, csrSignatureInvalid, csrTooLarge } from "./errors.ts";
import { assertP256PublicKey, createKeyPair, importKeyPair, keyThumbprint } from "./keys.ts";
import { signingAlgorithm, x509 } from "./provider.ts";

export interface CertificateRequest {
  /** PKCS #8; stays with whoever made it. */
  readonly keyPem: string;
  readonly csrDer: Uint8Array;
}

/** All that a request is good for. */
export interface ProvenKey {
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Uint8Array<ArrayBuffer>;
  readonly keyThumbprint: string;
}

/** Makes a request for the given key, or for a new one. */
export async function createCsr(options: { readonly keyPem?: string | undefined } = {}): Promise<CertificateRequest> {
  const { keys, keyPem } =
    options.keyPem === undefined
      ? await createKeyPair()
      : { keys: await importKeyPair(options.keyPem), keyPem: options.keyPem };
  const csr = await x509.Pkcs10CertificateRequestGenerator.create({
    name: "CN=fairlead-agent",
    keys,
    signingAlgorithm,
  });
  return { keyPem, csrDer: new Uint8Array(csr.rawData) };
}

/** Checks size, shape, key and self-signature, in that order; throws ENROLL_CSR_*. */
export async function readCsr(csrDer: Uint8Array): Promise<ProvenKey> {
  if (csrDer.length > csrLimitBytes) throw csrTooLarge(csrLimitBytes);
  const { csr, publicKey } = parseCsr(csrDer);
  assertP256PublicKey(publicKey);
  await assertSignedByOwnKey(csr);
  return { publicKey, keyThumbprint: keyThumbprint(publicKey) };
}

function parseCsr(der: Uint8Array): { readonly csr: ParsedCsr; readonly publicKey: Uint8Array<ArrayBuffer> } {
  if (!isOneSequence(der)) throw csrMalformed();
  try {
    const csr = new x509.Pkcs10CertificateRequest(new Uint8Array(der));
    return { csr, publicKey: new Uint8Array(csr.publicKey.rawData) };
  } catch (error) {
    throw csrMalformed(error);
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

async function assertSignedByOwnKey(csr: ParsedCsr): Promise<void> {
  const { name, hash } = csr.signatureAlgorithm as { name?: string; hash?: string | { name: string } };
  const hashName = typeof hash === "object" ? hash.name : (hash ?? "");
  if (name !== "ECDSA" || !strongHashes.has(hashName)) throw csrSignatureInvalid();
  const isValid = await csr.verify().catch((error: unknown) => {
    throw csrSignatureInvalid(error);
  });
  if (!isValid) throw csrSignatureInvalid();
}

type ParsedCsr = InstanceType<typeof x509.Pkcs10CertificateRequest>;

const csrLimitBytes = 16 * 1024;
const strongHashes: ReadonlySet<string> = new Set(["SHA-256", "SHA-384", "SHA-512"]);
