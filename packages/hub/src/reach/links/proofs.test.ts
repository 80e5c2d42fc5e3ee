// Agents behind a balancer get a challenge from one hub and answer it at another.
import { createHmac, createPrivateKey, sign, X509Certificate } from "node:crypto";
import { formatLinkProof, linkProofBytes } from "@fairlead/protocol";
import { createCsr } from "@fairlead/protocol/x509";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type IdentityHarness, startIdentity } from "../identity/identity.fixture.ts";
import { createLinkProofs, type LinkProofs } from "./proofs.ts";

let harness: IdentityHarness;
let hubs: readonly [LinkProofs, LinkProofs];
beforeEach(async () => {
  harness = await startIdentity();
  hubs = [open(), open()];
});
afterEach(() => harness[Symbol.asyncDispose]());

/** A hub on the same database as the others. */
function open(clock = harness.clock): LinkProofs {
  const { authenticatePeer } = harness.identity;
  return createLinkProofs({
    db: harness.store.db,
    authenticatePeer,
    trustDomain: "fairlead.test",
    hosts: ["hub.test"],
    clock,
  });
}

interface TestAgent {
  readonly cluster: string;
  prove(nonce: string): { readonly certificate: string; readonly proof: string };
}

async function enrollAgent(): Promise<TestAgent> {
  const { name, token } = await harness.createCluster();
  const csr = await createCsr();
  const { certificateChainPem } = await harness.enroll({ token, csr });
  const certificate = new X509Certificate(certificateChainPem);
  const certificateFingerprint = certificate.fingerprint256.replaceAll(":", "").toLowerCase();
  const key = createPrivateKey(csr.keyPem);
  return {
    cluster: name,
    prove(nonce) {
      const host = "hub.test";
      const bytes = linkProofBytes({ nonce, host, trustDomain: "fairlead.test", certificateFingerprint });
      const signature = sign("sha256", bytes, { key, dsaEncoding: "ieee-p1363" });
      return {
        certificate: certificate.raw.toString("base64"),
        proof: formatLinkProof({ nonce, host, signature }),
      };
    },
  };
}

describe("a challenge of one hub", () => {
  it("is answered at another, also after the one that gave it has started anew", async () => {
    const agent = await enrollAgent();
    const [one, other] = hubs;
    expect(await other.check(agent.prove((await one.challenge()).nonce))).toMatchObject({ cluster: agent.cluster });
    const { nonce } = await one.challenge();
    expect(await open().check(agent.prove(nonce))).toMatchObject({ cluster: agent.cluster });
  });

  it("is taken once over all hubs, also when it comes to each of them at the same time", async () => {
    const agent = await enrollAgent();
    const proof = agent.prove((await hubs[0].challenge()).nonce);
    const outcomes = await Promise.allSettled([...hubs, open(), open()].map((hub) => hub.check(proof)));
    const codes = outcomes.map((each) => (each.status === "rejected" ? each.reason.code : "taken"));
    expect(codes.sort()).toEqual([...Array.from({ length: 3 }, () => "LINK_PROOF_REPLAYED"), "taken"]);
    for (const hub of hubs) await expect(hub.check(proof)).rejects.toMatchObject({ code: "LINK_PROOF_REPLAYED" });
  });

  it("is over after a minute everywhere, and is known as used for longer than any hub may take it", async () => {
    const agent = await enrollAgent();
    const [one, other] = hubs;
    const late = agent.prove((await one.challenge()).nonce);
    const used = agent.prove((await one.challenge()).nonce);
    await one.check(used);
    harness.clock.move(61_000);
    await expect(other.check(late)).rejects.toMatchObject({ code: "LINK_PROOF_EXPIRED" });
    // Uses of others clean up what is over.
    await one.check(agent.prove((await one.challenge()).nonce));
    harness.clock.move(-61_000);
    await expect(other.check(used)).rejects.toMatchObject({ code: "LINK_PROOF_REPLAYED" });
    harness.clock.move(10 * 60_000);
    await one.check(agent.prove((await one.challenge()).nonce));
    const kept = await harness.store.db.selectFrom("link_proof").selectAll().execute();
    expect(kept).toHaveLength(1);
  });

  it("isn't that of hubs on another database", async () => {
    await using elsewhere = await startIdentity();
    const { authenticatePeer } = elsewhere.identity;
    const stranger = createLinkProofs({
      db: elsewhere.store.db,
      authenticatePeer,
      trustDomain: "fairlead.test",
      hosts: ["hub.test"],
      clock: harness.clock,
    });
    const agent = await enrollAgent();
    const { nonce } = await stranger.challenge();
    await expect(hubs[0].check(agent.prove(nonce))).rejects.toMatchObject({ code: "LINK_PROOF_NONCE_UNKNOWN" });
  });

  it("goes on over midnight", async () => {
    harness.clock.move(dayMs - (harness.clock.now() % dayMs) - 10_000);
    const agent = await enrollAgent();
    const { nonce } = await hubs[0].challenge();
    harness.clock.move(20_000);
    expect(await hubs[1].check(agent.prove(nonce))).toMatchObject({ cluster: agent.cluster });
  });
});

describe("who has read the database", () => {
  it("can forge challenges of its day at most, and none of the time to come", async () => {
    const agent = await enrollAgent();
    await hubs[0].challenge();
    const [{ secret } = { secret: new Uint8Array() }] = await harness.store.db
      .selectFrom("link_challenge_key")
      .selectAll()
      .execute();
    const forge = (issuedAt: number): string => {
      const body = Buffer.alloc(40, 7);
      body.writeBigUInt64BE(BigInt(issuedAt), 32);
      return Buffer.concat([body, createHmac("sha256", secret).update(body).digest()]).toString("base64url");
    };
    // This much is so, and the agent has to sign it all the same.
    expect(await hubs[0].check(agent.prove(forge(harness.clock.now())))).toMatchObject({ cluster: agent.cluster });
    const soon = agent.prove(forge(harness.clock.now() + 10 * 60_000));
    await expect(hubs[0].check(soon)).rejects.toMatchObject({ code: "LINK_PROOF_NONCE_UNKNOWN" });
    const tomorrow = agent.prove(forge(harness.clock.now() + dayMs));
    harness.clock.move(dayMs);
    await expect(hubs[0].check(tomorrow)).rejects.toMatchObject({ code: "LINK_PROOF_NONCE_UNKNOWN" });
  });
});

describe("a cluster's agents", () => {
  it("use so many challenges within minutes and no more, and others go on", async () => {
    const [greedy, other] = [await enrollAgent(), await enrollAgent()];
    const endsAt = new Date(harness.clock.now() + 60_000);
    await harness.store.db
      .insertInto("link_proof")
      .values(Array.from({ length: 1_023 }, (_, n) => ({ nonce: `n${n}`, cluster: greedy.cluster, ends_at: endsAt })))
      .execute();
    const [hub] = hubs;
    const last = greedy.prove((await hub.challenge()).nonce);
    await hub.check(last);
    const more = greedy.prove((await hub.challenge()).nonce);
    await expect(hub.check(more)).rejects.toMatchObject({ code: "LINK_TOO_MANY_LINKS", retryable: true });
    await expect(hub.check(last)).rejects.toMatchObject({ code: "LINK_PROOF_REPLAYED" });
    expect(await hub.check(other.prove((await hub.challenge()).nonce))).toMatchObject({ cluster: other.cluster });
  });

  it("prove nothing once they are revoked, even while their proof is being written down", async () => {
    const agent = await enrollAgent();
    const { authenticatePeer } = harness.identity;
    let asked = 0;
    const hub = createLinkProofs({
      db: harness.store.db,
      trustDomain: "fairlead.test",
      hosts: ["hub.test"],
      clock: harness.clock,
      async authenticatePeer(certDer) {
        const peer = await authenticatePeer(certDer);
        asked += 1;
        if (asked === 1) await harness.clusters.revoke(agent.cluster);
        return peer;
      },
    });
    const proof = agent.prove((await hub.challenge()).nonce);
    await expect(hub.check(proof)).rejects.toMatchObject({ code: "IDENTITY_REVOKED" });
  });
});

const dayMs = 24 * 60 * 60_000;
