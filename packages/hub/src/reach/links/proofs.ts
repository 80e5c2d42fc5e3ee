// Proofs of agents whose certificate doesn't arrive with their connection: nonces are given out, and each is taken once,
// by whichever hub on the database. A nonce carries its own time and authenticator, so that giving them out keeps nothing
// and can't be used to fill memory; only those that a living agent used are remembered, until they would have ended anyway.
import { createHmac, randomBytes, timingSafeEqual, verify, X509Certificate } from "node:crypto";
import type { Clock } from "@fairlead/kernel";
import { type LinkChallenge, linkProofBytes, parseLinkProof } from "@fairlead/protocol";
import type { Kysely } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import type { AgentIdentity } from "../identity/index.ts";
import { createChallengeKeys } from "./challenge-keys.ts";
import { linksErrors, tooManyLinks } from "./errors.ts";
import { takeProof } from "./used-proofs.ts";

export interface LinkProofs {
  challenge(): Promise<LinkChallenge>;
  /** Gives the agent that holds the certificate's key. Throws LINK_PROOF_* and the errors of `authenticatePeer`. */
  check(sent: { readonly certificate: string; readonly proof: string }): Promise<AgentIdentity>;
}

export function createLinkProofs(options: {
  readonly db: Kysely<Tables>;
  readonly authenticatePeer: (certDer: Uint8Array) => Promise<AgentIdentity>;
  readonly trustDomain: string;
  /** The names that agents may have dialled to get here, in lower case. */
  readonly hosts: readonly string[];
  readonly clock: Clock;
}): LinkProofs {
  const { db, authenticatePeer, trustDomain, hosts, clock } = options;
  const keys = createChallengeKeys(db);

  return {
    async challenge() {
      const issuedAt = clock.now();
      const body = Buffer.alloc(bodyBytes);
      randomBytes(32).copy(body);
      body.writeBigUInt64BE(BigInt(issuedAt), 32);
      const authenticator = authenticate(body, await keys.of(issuedAt));
      return { nonce: Buffer.concat([body, authenticator]).toString("base64url"), expiresInMs: lifeMs };
    },
    async check(sent) {
      const proof = parseLinkProof(sent.proof);
      if (!proof) throw linksErrors.LINK_PROOF_INVALID({ reason: "it is malformed" });
      const issuedAt = await readNonce(proof.nonce);
      const host = proof.host.toLowerCase();
      if (!hosts.includes(host)) throw linksErrors.LINK_PROOF_HOST_MISMATCH({ host });
      const certificate = readCertificate(sent.certificate);
      const certificateFingerprint = certificate.fingerprint256.replaceAll(":", "").toLowerCase();
      const signed = linkProofBytes({ nonce: proof.nonce, host: proof.host, trustDomain, certificateFingerprint });
      if (!isSignedBy(certificate, signed, proof.signature))
        throw linksErrors.LINK_PROOF_INVALID({ reason: "the signature doesn't match the key" });
      // Before its nonce is kept: a stranger could fill the database with them.
      const peer = await authenticatePeer(certificate.raw);
      await takeOnce(proof.nonce, { issuedAt, peer });
      // It may have been revoked while the nonce was stored.
      return await authenticatePeer(certificate.raw);
    },
  };

  /** Gives the time when the nonce was given out. */
  async function readNonce(nonce: string): Promise<number> {
    const bytes = Buffer.from(nonce, "base64url");
    // A nonce has one spelling only: base64url's last character has bits to spare.
    if (bytes.length !== bodyBytes + 32 || bytes.toString("base64url") !== nonce)
      throw linksErrors.LINK_PROOF_NONCE_UNKNOWN();
    const body = bytes.subarray(0, bodyBytes);
    const issuedAt = Number(body.readBigUInt64BE(32));
    // Anybody can write any time into it. There are keys of the days for which nonces are taken.
    const ageMs = clock.now() - issuedAt;
    if (ageMs > lifeMs) throw linksErrors.LINK_PROOF_EXPIRED();
    const isOurs =
      ageMs >= -aheadMs && timingSafeEqual(bytes.subarray(bodyBytes), authenticate(body, await keys.of(issuedAt)));
    if (!isOurs) throw linksErrors.LINK_PROOF_NONCE_UNKNOWN();
    return issuedAt;
  }

  async function takeOnce(nonce: string, used: { readonly issuedAt: number; readonly peer: AgentIdentity }) {
    const { issuedAt, peer } = used;
    const { cluster } = peer;
    const endsAt = new Date(issuedAt + keptMs);
    const outcome = await takeProof(db, { nonce, cluster, endsAt, now: new Date(clock.now()) });
    switch (outcome) {
      case "taken":
        return;
      case "taken before":
        throw linksErrors.LINK_PROOF_REPLAYED();
      case "too many":
        throw tooManyLinks(peer);
    }
  }
}

function authenticate(body: Buffer, key: Uint8Array): Buffer {
  return createHmac("sha256", key).update(body).digest();
}

function readCertificate(text: string): X509Certificate {
  try {
    return new X509Certificate(Buffer.from(text, "base64"));
  } catch {
    throw linksErrors.LINK_PROOF_INVALID({ reason: "its certificate is unreadable" });
  }
}

function isSignedBy(certificate: X509Certificate, bytes: Uint8Array, signature: Uint8Array): boolean {
  const { publicKey } = certificate;
  if (publicKey.asymmetricKeyDetails?.namedCurve !== "prime256v1") return false;
  return verify("sha256", bytes, { key: publicKey, dsaEncoding: "ieee-p1363" }, signature);
}

const lifeMs = 60_000;
/** By so much the clock of the hub that gave a nonce out may be ahead of this one's. */
const aheadMs = 60_000;
/** Until a hub whose clock is behind by minutes takes it no more. */
const keptMs = 5 * 60_000;
const bodyBytes = 40;
