// Proofs of agents whose certificate doesn't arrive with their connection: nonces are given out, and each is taken once.
// A nonce carries its own time and authenticator, so that giving them out keeps nothing and can't be used to fill
// memory; only those that a living agent used are remembered, until they would have ended anyway.
import { createHmac, randomBytes, timingSafeEqual, verify, X509Certificate } from "node:crypto";
import type { Clock } from "@fairlead/kernel";
import { type LinkChallenge, linkProofBytes, parseLinkProof } from "@fairlead/protocol";
import type { AgentIdentity } from "../identity/index.ts";
import { linksErrors } from "./errors.ts";

export interface LinkProofs {
  challenge(): LinkChallenge;
  /** Gives the agent that holds the certificate's key. Throws LINK_PROOF_* and the errors of `authenticatePeer`. */
  check(sent: { readonly certificate: string; readonly proof: string }): Promise<AgentIdentity>;
}

export function createLinkProofs(options: {
  readonly authenticatePeer: (certDer: Uint8Array) => Promise<AgentIdentity>;
  readonly trustDomain: string;
  /** The names that agents may have dialled to get here, in lower case. */
  readonly hosts: readonly string[];
  readonly clock: Clock;
}): LinkProofs {
  const { authenticatePeer, trustDomain, hosts, clock } = options;
  const secret = randomBytes(32);
  /** The time when each nonce may be forgotten, in the order of use. */
  const used = new Map<string, number>();

  return {
    challenge() {
      const body = Buffer.alloc(bodyBytes);
      randomBytes(32).copy(body);
      body.writeBigUInt64BE(BigInt(clock.now()), 32);
      return { nonce: Buffer.concat([body, authenticate(body)]).toString("base64url"), expiresInMs: lifeMs };
    },
    async check(sent) {
      const proof = parseLinkProof(sent.proof);
      if (!proof) throw linksErrors.LINK_PROOF_INVALID({ reason: "it isn't readable" });
      const issuedAt = readNonce(proof.nonce);
      if (issuedAt === undefined) throw linksErrors.LINK_PROOF_NONCE_UNKNOWN();
      if (clock.now() - issuedAt > lifeMs) throw linksErrors.LINK_PROOF_EXPIRED();
      const host = proof.host.toLowerCase();
      if (!hosts.includes(host)) throw linksErrors.LINK_PROOF_HOST_MISMATCH({ host });
      const certificate = readCertificate(sent.certificate);
      const certificateFingerprint = certificate.fingerprint256.replaceAll(":", "").toLowerCase();
      const signed = linkProofBytes({ nonce: proof.nonce, host: proof.host, trustDomain, certificateFingerprint });
      if (!isSignedBy(certificate, signed, proof.signature))
        throw linksErrors.LINK_PROOF_INVALID({ reason: "the signature isn't the key's" });
      const peer = await authenticatePeer(certificate.raw);
      // This comes after the last wait, so that of two proofs with the same nonce one finds it taken.
      takeOnce(proof.nonce, issuedAt);
      return peer;
    },
  };

  function authenticate(body: Buffer): Buffer {
    return createHmac("sha256", secret).update(body).digest();
  }

  /** Gives the time when the nonce was given out; undefined for one that this process never gave out. */
  function readNonce(nonce: string): number | undefined {
    const bytes = Buffer.from(nonce, "base64url");
    if (bytes.length !== bodyBytes + 32) return undefined;
    const body = bytes.subarray(0, bodyBytes);
    // A nonce has one spelling only: base64url's last character has bits to spare.
    const isOurs =
      timingSafeEqual(bytes.subarray(bodyBytes), authenticate(body)) && bytes.toString("base64url") === nonce;
    return isOurs ? Number(body.readBigUInt64BE(32)) : undefined;
  }

  function takeOnce(nonce: string, issuedAt: number): void {
    for (const [old, endsAt] of used) {
      if (endsAt > clock.now()) break;
      used.delete(old);
    }
    if (used.has(nonce)) throw linksErrors.LINK_PROOF_REPLAYED();
    used.set(nonce, issuedAt + 2 * lifeMs);
  }
}

function readCertificate(text: string): X509Certificate {
  try {
    return new X509Certificate(Buffer.from(text, "base64"));
  } catch {
    throw linksErrors.LINK_PROOF_INVALID({ reason: "its certificate isn't readable" });
  }
}

function isSignedBy(certificate: X509Certificate, bytes: Uint8Array, signature: Uint8Array): boolean {
  const { publicKey } = certificate;
  if (publicKey.asymmetricKeyDetails?.namedCurve !== "prime256v1") return false;
  return verify("sha256", bytes, { key: publicKey, dsaEncoding: "ieee-p1363" }, signature);
}

const lifeMs = 60_000;
const bodyBytes = 40;
