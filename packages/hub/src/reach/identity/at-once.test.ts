// Several connections to one database run statements that know nothing of each other.
import { createCsr } from "@fairlead/protocol/x509";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { holdTransaction, untilSomebodyWaits } from "../../platform/store/hold-transaction.fixture.ts";
import { openClusters } from "../clusters/index.ts";
import { createPresence } from "../clusters/presence.fixture.ts";
import { type IdentityHarness, startIdentity, toDer } from "./identity.fixture.ts";
import { openIdentity } from "./index.ts";

let harness: IdentityHarness;
beforeAll(async () => {
  harness = await startIdentity();
});
afterAll(() => harness[Symbol.asyncDispose]());

describe("identity, asked at once on several connections", () => {
  it("gives a join token to one of a hundred keys, half of them at another hub", async () => {
    const { name, token } = await harness.createCluster();
    const { store, pki, clock } = harness;
    await using clusters = await openClusters({ db: store.queries, clock, links: createPresence() });
    const other = openIdentity({ db: store.queries, pki, clusters, clock });
    const csrs = await Promise.all(Array.from({ length: 100 }, () => createCsr()));
    const outcomes = await Promise.allSettled(
      csrs.map(({ csrDer }, index) =>
        (index % 2 === 0 ? harness.identity : other).enroll({
          token,
          csrDer,
          roles: ["proxy"],
          remoteAddress: "192.0.2.7",
        }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const codes = outcomes.flatMap((each) => (each.status === "rejected" ? [each.reason.code] : []));
    // On a busy machine the last ones may wait too long for a connection.
    expect(codes.filter((code) => code !== "ENROLL_TOKEN_USED" && code !== "STORE_BUSY")).toEqual([]);
    expect(await harness.identity.list(name)).toHaveLength(1);
  });

  it("issues nothing for a token that is revoked meanwhile", async () => {
    const { name, token } = await harness.createCluster();
    const revoking = await holdTransaction(harness.store.queries, (trx) =>
      sql`update cluster set epoch = epoch + 1 where name = ${name}`.execute(trx),
    );
    const enrolling = harness.enroll({ token });
    enrolling.catch(() => undefined);
    await untilSomebodyWaits(harness.store.queries);
    await revoking.commit();
    await expect(enrolling).rejects.toMatchObject({ code: "ENROLL_TOKEN_REVOKED" });
    expect(await harness.identity.list(name)).toEqual([]);
  });

  it("issues nothing for a cluster that is removed meanwhile, and doesn't hold up its removal", async () => {
    const { name, token } = await harness.createCluster();
    const removing = await holdTransaction(harness.store.queries, (trx) =>
      sql`delete from cluster where name = ${name}`.execute(trx),
    );
    const enrolling = harness.enroll({ token });
    enrolling.catch(() => undefined);
    await untilSomebodyWaits(harness.store.queries);
    await removing.commit();
    await expect(enrolling).rejects.toMatchObject({ code: "ENROLL_TOKEN_REVOKED" });
  });

  it("renews no more often than it may, however many ask at once", async () => {
    const { name, token } = await harness.createCluster();
    const enrollment = await harness.enroll({ token });
    // With the first one there are 90, of 100 that it may have.
    await sql`
      insert into identity select 'old-' || n, cluster, roles, epoch, key_thumbprint, certificate_pem, issued_at, not_after
      from identity, generate_series(1, 89) n where cluster = ${name}
    `.execute(harness.store.db);
    const peer = await harness.identity.authenticatePeer(toDer(enrollment.certificateChainPem));
    const { csrDer } = await createCsr();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 24 }, () => harness.identity.renew({ peer, csrDer })),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(10);
    const codes = outcomes.flatMap((each) => (each.status === "rejected" ? [each.reason.code] : []));
    expect(new Set(codes)).toEqual(new Set(["IDENTITY_RENEWED_TOO_OFTEN"]));
  });

  it("doesn't let in a peer whose row is older than the revocation that was answered", async () => {
    const { name, token } = await harness.createCluster();
    const { certificateChainPem } = await harness.enroll({ token });
    // The row comes from a connection that doesn't see the revocation yet.
    await harness.clusters.revoke(name);
    await sql`update cluster set epoch = 0 where name = ${name}`.execute(harness.store.db);
    await expect(harness.identity.authenticatePeer(toDer(certificateChainPem))).rejects.toMatchObject({
      code: "IDENTITY_REVOKED",
    });
  });
});
