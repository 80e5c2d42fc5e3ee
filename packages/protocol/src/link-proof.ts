// Where something on the way ends TLS, an agent's certificate doesn't arrive with its connection. It is sent in a header
// of the request for the link then, with a signature by its key over a value that the hub gave out for this one use.
import { Buffer } from "node:buffer";

/** GET answers with a `LinkChallenge`. */
export const linkChallengePath = "/agent/v1/challenge";

export interface LinkChallenge {
  /** Good for one link. */
  readonly nonce: string;
  readonly expiresInMs: number;
}

/** The certificate in DER, base64. */
export const linkCertificateHeader = "fairlead-agent-certificate";
/** `v1 NONCE HOST SIGNATURE`; the signature is ECDSA with SHA-256, r and s of 32 bytes each, base64url. */
export const linkProofHeader = "fairlead-agent-proof";

export interface LinkProof {
  readonly nonce: string;
  /** The host name that the agent dialled, so that nobody else can pass the proof on as its own. */
  readonly host: string;
  readonly signature: Uint8Array;
}

/** The signed bytes: a label of this use alone, then each part behind its length, so that there is only one reading. */
export function linkProofBytes(parts: {
  readonly nonce: string;
  readonly host: string;
  readonly trustDomain: string;
  /** SHA-256 of the certificate, hex. */
  readonly certificateFingerprint: string;
}): Uint8Array {
  const { nonce, host, trustDomain, certificateFingerprint } = parts;
  const chunks = [Buffer.from("fairlead agent link proof v1\0")];
  for (const part of [nonce, host, trustDomain, certificateFingerprint]) {
    const bytes = Buffer.from(part);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    chunks.push(length, bytes);
  }
  return Buffer.concat(chunks);
}

export function formatLinkProof(proof: LinkProof): string {
  return `v1 ${proof.nonce} ${proof.host} ${Buffer.from(proof.signature).toString("base64url")}`;
}

export function parseLinkProof(text: string): LinkProof | undefined {
  const match = /^v1 ([A-Za-z0-9_-]{32,256}) ([A-Za-z0-9.:[\]_-]{1,255}) ([A-Za-z0-9_-]{86})$/.exec(text);
  if (!match) return undefined;
  const [, nonce = "", host = "", signature = ""] = match;
  return { nonce, host, signature: Buffer.from(signature, "base64url") };
}
