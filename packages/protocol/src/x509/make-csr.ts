// A certificate request (PKCS #10, RFC 2986) for a P-256 key, written out: agents make one now and then, and a library
// for all of X.509 would take more memory than all else that an agent is made of.
import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject, sign } from "node:crypto";
import { promisify } from "node:util";
import { x509Errors } from "./errors.ts";

export interface CertificateRequest {
  /** PKCS #8; stays with whoever made it. */
  readonly keyPem: string;
  readonly csrDer: Uint8Array;
}

/** Makes a request for the given key, or for a new one. */
export async function createCsr(options: { readonly keyPem?: string | undefined } = {}): Promise<CertificateRequest> {
  const key = options.keyPem === undefined ? await createKey() : readKey(options.keyPem);
  const keyPem = options.keyPem ?? key.export({ type: "pkcs8", format: "pem" }).toString();
  const spki = createPublicKey(key).export({ type: "spki", format: "der" });
  const info = encode(tags.sequence, integer0, subject, spki, noAttributes);
  const signature = sign("sha256", info, { key, dsaEncoding: "der" });
  const csr = encode(tags.sequence, info, ecdsaWithSha256, encode(tags.bitString, Buffer.of(0), signature));
  return { keyPem, csrDer: new Uint8Array(csr) };
}

async function createKey(): Promise<KeyObject> {
  const { privateKey } = await promisify(generateKeyPair)("ec", { namedCurve: "P-256" });
  return privateKey;
}

function readKey(keyPem: string): KeyObject {
  try {
    const key = createPrivateKey(keyPem);
    if (key.asymmetricKeyDetails?.namedCurve === "prime256v1") return key;
  } catch (error) {
    throw x509Errors.PKI_AUTHORITY_BROKEN({ message: "The private key isn't a P-256 key in PEM.", cause: error });
  }
  throw x509Errors.PKI_AUTHORITY_BROKEN({ message: "The private key isn't a P-256 key in PEM." });
}

/** Tag, length, content: DER. Nothing here is longer than 65,535 bytes. */
function encode(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  const head = length < 0x100 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}

const tags = { bitString: 0x03, utf8String: 0x0c, sequence: 0x30, set: 0x31 };
const integer0 = Buffer.of(0x02, 1, 0);
const noAttributes = Buffer.of(0xa0, 0);
const commonName = Buffer.from("0603550403", "hex");
/** CN=fairlead-agent, which nobody looks at. */
const subject = encode(
  tags.sequence,
  encode(tags.set, encode(tags.sequence, commonName, encode(tags.utf8String, Buffer.from("fairlead-agent")))),
);
const ecdsaWithSha256 = encode(tags.sequence, Buffer.from("06082a8648ce3d040302", "hex"));
