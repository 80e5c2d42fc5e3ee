// Agents enroll, renew and are let in at whichever hub they come to.
import { createMovableClock } from "@fairlead/kernel/testing";
import { createCsr, describeCertificate } from "@fairlead/protocol/x509";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSharedHarness } from "../../platform/pki/shared.fixture.ts";
import { openClusters } from "../clusters/index.ts";
import { createPresence } from "../clusters/presence.fixture.ts";
import { type OneOfHubs, openSeveralHubs, type SeveralHubs } from "../clusters/several-hubs.fixture.ts";
import { toDer } from "./identity.fixture.ts";
import { openIdentity } from "./index.ts";

let harness: SeveralHubs;
let one: OneOfHubs;
let two: OneOfHubs;
beforeEach(async () => {
  harness = await openSeveralHubs({ isDeaf: false });
  [one, two] = [await harness.openHub(), await harness.openHub()];
});
afterEach(() => harness[Symbol.asyncDispose]());

const rest = { roles: ["proxy"], remoteAddress: "192.0.2.7" } as const;

async function makeToken(name = "east"): Promise<string> {
  await one.clusters.create({ name, roles: ["proxy"] });
  return (await one.identity.createJoinToken({ cluster: name })).token;
}

async function enrollOne(name = "east") {
  const token = await makeToken(name);
  const csr = await createCsr();
  const { certificateChainPem } = await one.identity.enroll({ token, csrDer: csr.csrDer, ...rest });
  return { name, token, csr, certDer: toDer(certificateChainPem) };
}

/** A hub that hears of nothing from now on: whatever hints reach it, it looks when its clock moves. */
async function openDeaf(): Promise<OneOfHubs> {
  const hub = await harness.openHub({ changesClock: createMovableClock() });
  await hub.changes.settled();
  return hub;
}

describe("a join token", () => {
  it("gives one certificate to a key that asks two hubs at the same time", async () => {
    for (let round = 0; round < 5; round++) {
      const name = `east-${round}`;
      const token = await makeToken(name);
      const { csrDer } = await createCsr();
      const [here, there] = await Promise.all(
        [one, two].map(({ identity }) => identity.enroll({ token, csrDer, ...rest })),
      );
      expect(here).toEqual(there);
      expect(await two.identity.list(name)).toHaveLength(1);
      expect(await one.clusters.listAlarms(name)).toEqual([]);
    }
  });

  it("is refused to another key at another hub, with one alarm, which all of them count", async () => {
    const { name, token } = await enrollOne();
    const other = await createCsr();
    await expect(two.identity.enroll({ token, csrDer: other.csrDer, ...rest })).rejects.toMatchObject({
      code: "ENROLL_TOKEN_USED",
    });
    for (const { clusters } of [one, two]) {
      expect(await clusters.listAlarms(name)).toMatchObject([{ type: "token-misused", count: 1 }]);
      await expect.poll(() => clusters.get(name).alarmCount).toBe(1);
    }
  });

  it("goes to one of two keys that ask two hubs at the same time, and raises one alarm", async () => {
    for (let round = 0; round < 5; round++) {
      const name = `west-${round}`;
      const token = await makeToken(name);
      const csrs = await Promise.all([createCsr(), createCsr()]);
      const outcomes = await Promise.allSettled(
        [one, two].map(({ identity }, index) =>
          identity.enroll({ token, csrDer: csrs[index]?.csrDer ?? new Uint8Array(), ...rest }),
        ),
      );
      const codes = outcomes.map((each) => (each.status === "rejected" ? each.reason.code : "enrolled"));
      expect(codes.toSorted()).toEqual(["ENROLL_TOKEN_USED", "enrolled"]);
      expect(await two.clusters.listAlarms(name)).toMatchObject([{ type: "token-misused", count: 1 }]);
    }
  });

  it("is good at once at a hub that hasn't heard of its cluster, and so is what it gives", async () => {
    const deaf = await openDeaf();
    const token = await makeToken("new");
    const { csrDer } = await createCsr();
    const { certificateChainPem } = await deaf.identity.enroll({ token, csrDer, ...rest });
    for (const { identity } of [deaf, two]) {
      expect(await identity.authenticatePeer(toDer(certificateChainPem))).toMatchObject({ cluster: "new" });
    }
    await deaf.clusters.recordHello("new", { agentVersion: "1" });
  });
});

describe("an agent's certificate", () => {
  it("is refused at a hub that hasn't heard of the revocation yet", async () => {
    const { name, token, csr, certDer } = await enrollOne();
    const deaf = await openDeaf();
    const peer = await deaf.identity.authenticatePeer(certDer);
    await one.clusters.revoke(name);
    const revoked = { code: "IDENTITY_REVOKED" };
    await expect(deaf.identity.authenticatePeer(certDer)).rejects.toMatchObject(revoked);
    await expect(deaf.identity.renew({ peer, csrDer: csr.csrDer })).rejects.toMatchObject(revoked);
    await expect(deaf.identity.enroll({ token, csrDer: csr.csrDer, ...rest })).rejects.toMatchObject({
      code: "ENROLL_TOKEN_REVOKED",
    });
    await one.clusters.remove(name);
    await expect(deaf.identity.authenticatePeer(certDer)).rejects.toMatchObject({ code: "IDENTITY_UNKNOWN" });
  });

  it("is let in at once after the cluster is back in use, by a token of another hub", async () => {
    const { name } = await enrollOne();
    const deaf = await openDeaf();
    await one.clusters.revoke(name);
    const { token } = await two.identity.createJoinToken({ cluster: name });
    const { csrDer } = await createCsr();
    const { certificateChainPem } = await two.identity.enroll({ token, csrDer, ...rest });
    expect(await deaf.identity.authenticatePeer(toDer(certificateChainPem))).toMatchObject({ cluster: name });
    await expect.poll(() => one.clusters.get(name).state).toBe("never-connected");
  });

  it("is renewed and confirmed at any hub, and all know who holds it", async () => {
    const { certDer, csr } = await enrollOne();
    await harness.pki.rotate();
    const renewal = await two.identity.renew({
      peer: await two.identity.authenticatePeer(certDer),
      csrDer: csr.csrDer,
    });
    const [old, coming] = harness.pki.caFingerprints;
    for (const { identity } of [one, two]) {
      expect((await identity.listHolders()).map(({ issuers }) => [...issuers].toSorted())).toEqual([
        [old, coming].toSorted(),
      ]);
    }
    const { serial } = describeCertificate(renewal.certificateChainPem);
    await one.identity.confirm({ peer: renewal.peer, serial });
    for (const { identity } of [one, two]) {
      expect((await identity.listHolders()).map(({ issuers }) => [...issuers])).toEqual([[coming]]);
    }
  });

  it("of an authority that another hub has begun just now is known", async () => {
    await using shared = await openSharedHarness({ isDeaf: true });
    const [beginner, deaf] = [await shared.openHub(), await shared.openHub({ changesClock: createMovableClock() })];
    await deaf.changes.settled();
    await beginner.pki.rotate();
    const [here, there] = await Promise.all(
      [beginner, deaf].map(async ({ pki, changes }) => {
        const { db } = shared.store;
        const clusters = await openClusters({ db, changes, links: createPresence() });
        return { clusters, identity: openIdentity({ db, pki, clusters }) };
      }),
    );
    if (!here || !there) throw new Error("two hubs were opened");
    await here.clusters.create({ name: "east", roles: ["proxy"] });
    const { token } = await here.identity.createJoinToken({ cluster: "east" });
    const { csrDer } = await createCsr();
    const { certificateChainPem } = await here.identity.enroll({ token, csrDer, ...rest });
    expect(await there.identity.authenticatePeer(toDer(certificateChainPem))).toMatchObject({
      cluster: "east",
      issuer: beginner.pki.caFingerprints[1],
    });
    for (const { clusters } of [here, there]) await clusters[Symbol.asyncDispose]();
  });

  it("is renewed no more often than it may over all hubs", async () => {
    const { name, certDer, csr } = await enrollOne();
    await sql`
      insert into identity select 'old-' || n, cluster, roles, epoch, key_thumbprint, certificate_pem, issued_at, not_after
      from identity, generate_series(1, 97) n where cluster = ${name}
    `.execute(harness.store.db);
    const peer = await one.identity.authenticatePeer(certDer);
    const outcomes = await Promise.allSettled(
      [one, two, one, two].map(({ identity }) => identity.renew({ peer, csrDer: csr.csrDer })),
    );
    const codes = outcomes.flatMap((each) => (each.status === "rejected" ? [each.reason.code] : []));
    expect(codes).toEqual(["IDENTITY_RENEWED_TOO_OFTEN", "IDENTITY_RENEWED_TOO_OFTEN"]);
  });
});
