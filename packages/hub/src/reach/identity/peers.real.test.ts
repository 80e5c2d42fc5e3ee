import { createAuthority, createCsr, describeCertificate } from "@fairlead/protocol/x509";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type IdentityHarness, startIdentity, toDer } from "./identity.fixture.ts";

let harness: IdentityHarness;
beforeAll(async () => {
  harness = await startIdentity();
});
afterAll(() => harness[Symbol.asyncDispose]());

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

async function enrollOne() {
  const { name, token } = await harness.createCluster();
  const csr = await createCsr();
  const { certificateChainPem } = await harness.enroll({ token, csr });
  const certDer = toDer(certificateChainPem);
  return { name, csr, certDer, peer: await harness.identity.authenticatePeer(certDer) };
}

describe("a peer's certificate", () => {
  it("tells the cluster, the roles and the end of its life", async () => {
    const { name, certDer, peer } = await enrollOne();
    const { serial, keyThumbprint, notAfter } = describeCertificate(certDer);
    expect(peer).toEqual({
      cluster: name,
      roles: ["proxy"],
      serial,
      keyThumbprint,
      notAfter,
      issuer: harness.pki.caFingerprint,
    });
  });

  it("is refused after its end", async () => {
    const { certDer } = await enrollOne();
    harness.clock.move(24 * hourMs + 1000);
    await expect(harness.identity.authenticatePeer(certDer)).rejects.toMatchObject({
      code: "IDENTITY_EXPIRED",
      httpStatus: 401,
    });
  });

  it("is good when the hub's clock falls back five minutes, and says so when it falls back ten", async () => {
    const { certDer } = await enrollOne();
    harness.clock.move(-5 * minuteMs);
    await harness.identity.authenticatePeer(certDer);
    harness.clock.move(-5 * minuteMs);
    const refused = harness.identity.authenticatePeer(certDer);
    await expect(refused).rejects.toMatchObject({ code: "IDENTITY_NOT_YET_VALID", retryable: true });
    await expect(refused).rejects.toThrow("becomes valid in 300 s");
    harness.clock.move(10 * minuteMs);
  });

  it("is good when the hub's clock jumps ten minutes ahead", async () => {
    const { certDer } = await enrollOne();
    harness.clock.move(10 * minuteMs);
    await harness.identity.authenticatePeer(certDer);
  });

  it("is refused from the moment its cluster is revoked", async () => {
    const { name, certDer } = await enrollOne();
    await harness.clusters.revoke(name);
    await expect(harness.identity.authenticatePeer(certDer)).rejects.toMatchObject({
      code: "IDENTITY_REVOKED",
      httpStatus: 403,
    });
    expect(await harness.identity.list(name)).toMatchObject([
      { revokedAt: new Date(harness.clock.now()).toISOString() },
    ]);
  });

  it("is unknown once its cluster is removed, also after one of that name was made again", async () => {
    const { name, certDer } = await enrollOne();
    await harness.clusters.remove(name);
    await harness.clusters.create({ name, roles: ["proxy"] });
    await expect(harness.identity.authenticatePeer(certDer)).rejects.toMatchObject({ code: "IDENTITY_UNKNOWN" });
  });

  it("is unknown when another authority signed it for the same names", async () => {
    const { name } = await enrollOne();
    const other = await createAuthority({ commonName: "Fairlead hub CA", days: 1, clock: harness.clock });
    const forged = await other.issueAgentCertificate({
      csrDer: (await createCsr()).csrDer,
      trustDomain: "fairlead.test",
      cluster: name,
      roles: ["proxy"],
      ttlMs: hourMs,
    });
    await expect(harness.identity.authenticatePeer(toDer(forged.certPem))).rejects.toMatchObject({
      code: "IDENTITY_UNKNOWN",
    });
  });

  it("is unknown when the hub signed it but has no record of it, as after a restored backup", async () => {
    const { name } = await enrollOne();
    const { csrDer } = await createCsr();
    const issued = await harness.pki.issueAgent({ csrDer, cluster: name, roles: ["proxy"], ttlMs: hourMs });
    await expect(harness.identity.authenticatePeer(toDer(issued.certPem))).rejects.toMatchObject({
      code: "IDENTITY_UNKNOWN",
    });
  });

  it("is unknown when it is the hub's own server certificate", async () => {
    const { certPem } = await harness.pki.issueServer({ names: ["hub.test"] });
    await expect(harness.identity.authenticatePeer(toDer(certPem))).rejects.toMatchObject({ code: "IDENTITY_UNKNOWN" });
  });

  it("is unknown when it is no certificate at all", async () => {
    await expect(harness.identity.authenticatePeer(Buffer.from("garbage"))).rejects.toMatchObject({
      code: "IDENTITY_UNKNOWN",
    });
  });
});

describe("renewing", () => {
  it("gives the same names a new end, for the same key and for another", async () => {
    const { name, csr, peer } = await enrollOne();
    harness.clock.move(12 * hourMs);
    const same = await harness.identity.renew({ peer, csrDer: csr.csrDer });
    const other = await harness.identity.renew({ peer, csrDer: (await createCsr()).csrDer });
    expect(same.peer.notAfter).toBe(peer.notAfter + 12 * hourMs);
    expect(describeCertificate(same.certificateChainPem).keyThumbprint).toBe(peer.keyThumbprint);
    expect(describeCertificate(other.certificateChainPem).keyThumbprint).not.toBe(peer.keyThumbprint);
    expect(await harness.identity.authenticatePeer(toDer(other.certificateChainPem))).toMatchObject({ cluster: name });
    expect(await harness.identity.authenticatePeer(toDer(same.certificateChainPem))).toMatchObject({
      roles: ["proxy"],
    });
  });

  it("goes on over one link for ever, each time on the certificate from before", async () => {
    const { csr, peer } = await enrollOne();
    let current = peer;
    for (let round = 1; round <= 5; round++) {
      harness.clock.move(14 * hourMs);
      const renewed = await harness.identity.renew({ peer: current, csrDer: csr.csrDer });
      current = renewed.peer;
      expect(await harness.identity.authenticatePeer(toDer(renewed.certificateChainPem))).toEqual(current);
    }
  });

  it("is refused to a revoked peer, and a certificate renewed before is revoked with it", async () => {
    const { name, csr, peer } = await enrollOne();
    const renewed = await harness.identity.renew({ peer, csrDer: csr.csrDer });
    await harness.clusters.revoke(name);
    await expect(harness.identity.renew({ peer, csrDer: csr.csrDer })).rejects.toMatchObject({
      code: "IDENTITY_REVOKED",
    });
    await expect(harness.identity.authenticatePeer(toDer(renewed.certificateChainPem))).rejects.toMatchObject({
      code: "IDENTITY_REVOKED",
    });
  });

  it("is refused to a peer whose certificate ended while its link was up", async () => {
    const { csr, peer } = await enrollOne();
    harness.clock.move(25 * hourMs);
    await expect(harness.identity.renew({ peer, csrDer: csr.csrDer })).rejects.toMatchObject({
      code: "IDENTITY_EXPIRED",
    });
  });

  it("is refused for a hostile request", async () => {
    const { peer } = await enrollOne();
    await expect(harness.identity.renew({ peer, csrDer: new Uint8Array(100) })).rejects.toMatchObject({
      code: "ENROLL_CSR_MALFORMED",
    });
  });

  it("is refused after a hundred certificates within one life", async () => {
    const { csr, peer } = await enrollOne();
    for (let count = 1; count < 100; count++) await harness.identity.renew({ peer, csrDer: csr.csrDer });
    await expect(harness.identity.renew({ peer, csrDer: csr.csrDer })).rejects.toMatchObject({
      code: "IDENTITY_RENEWED_TOO_OFTEN",
      httpStatus: 429,
    });
  });
});

describe("a revocation", () => {
  it("is told at once to whoever listens, and so is a removal", async () => {
    const [first, second] = [await enrollOne(), await enrollOne()];
    const told: string[] = [];
    const stop = harness.identity.onRevoked(({ cluster }) => told.push(cluster));
    await harness.clusters.revoke(first.name);
    await harness.clusters.remove(second.name);
    stop();
    await harness.clusters.revoke(first.name);
    expect(told).toEqual([first.name, second.name]);
  });
});
