import { createCsr, describeCertificate } from "@fairlead/protocol/x509";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type IdentityHarness, startIdentity, toDer } from "./identity.fixture.ts";

let harness: IdentityHarness;
beforeAll(async () => {
  harness = await startIdentity();
});
afterAll(() => harness[Symbol.asyncDispose]());

const minuteMs = 60_000;

describe("enrolling with a join token", () => {
  it("gives a certificate that names the cluster and the roles", async () => {
    const { name, token } = await harness.createCluster(["observe", "proxy"]);
    const enrollment = await harness.enroll({ token, roles: ["proxy", "observe"] });
    expect(enrollment).toMatchObject({ cluster: name, roles: ["observe", "proxy"], trustDomain: "fairlead.test" });
    expect(enrollment.caPem).toBe(harness.pki.caPem);
    expect(describeCertificate(enrollment.certificateChainPem).identities).toEqual([
      { trustDomain: "fairlead.test", cluster: name, role: "observe" },
      { trustDomain: "fairlead.test", cluster: name, role: "proxy" },
    ]);
  });

  it("gives the same certificate to the same key again, because an answer can be lost", async () => {
    const { token } = await harness.createCluster();
    const csr = await createCsr();
    const first = await harness.enroll({ token, csr });
    harness.clock.move(10 * minuteMs);
    const again = await harness.enroll({ token, csr: await createCsr({ keyPem: csr.keyPem }) });
    expect(again).toEqual(first);
  });

  it("refuses another key and raises an alarm on the cluster", async () => {
    const { name, token } = await harness.createCluster();
    await harness.enroll({ token });
    await expect(harness.enroll({ token })).rejects.toMatchObject({ code: "ENROLL_TOKEN_USED", httpStatus: 409 });
    const [newest] = await harness.clusters.listEvents(name, 1);
    expect(newest).toMatchObject({ type: "token-misused", level: "alarm" });
    expect(newest?.message).toContain("192.0.2.7");
    expect(await harness.identity.list(name)).toHaveLength(1);
  });

  it("lets exactly one of many keys win that come at once", async () => {
    const { name, token } = await harness.createCluster();
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => harness.enroll({ token })));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const codes = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason.code] : []));
    expect(codes).toEqual(Array.from({ length: 7 }, () => "ENROLL_TOKEN_USED"));
    expect(await harness.identity.list(name)).toHaveLength(1);
  });

  it("gives each role of a token to a process of its own", async () => {
    const { token } = await harness.createCluster(["observe", "proxy"]);
    const proxy = await harness.enroll({ token, roles: ["proxy"] });
    const observe = await harness.enroll({ token, roles: ["observe"] });
    expect([proxy.roles, observe.roles]).toEqual([["proxy"], ["observe"]]);
    await expect(harness.enroll({ token, roles: ["observe"] })).rejects.toMatchObject({ code: "ENROLL_TOKEN_USED" });
  });

  it("claims nothing when it refuses one of the roles asked for", async () => {
    const { token } = await harness.createCluster(["observe", "proxy"]);
    await harness.enroll({ token, roles: ["proxy"] });
    await expect(harness.enroll({ token, roles: ["observe", "proxy"] })).rejects.toMatchObject({
      code: "ENROLL_TOKEN_USED",
    });
    expect((await harness.enroll({ token, roles: ["observe"] })).roles).toEqual(["observe"]);
  });

  it("refuses a token whose time is over, even for the key that used it", async () => {
    const { token } = await harness.createCluster();
    const csr = await createCsr();
    await harness.enroll({ token, csr });
    harness.clock.move(61 * minuteMs);
    await expect(harness.enroll({ token, csr })).rejects.toMatchObject({
      code: "ENROLL_TOKEN_EXPIRED",
      httpStatus: 401,
    });
  });

  it("refuses a token of before a revocation", async () => {
    const { name, token } = await harness.createCluster();
    await harness.clusters.revoke(name);
    await expect(harness.enroll({ token })).rejects.toMatchObject({ code: "ENROLL_TOKEN_REVOKED", httpStatus: 401 });
  });

  it("refuses a token of a cluster that was removed, also after one of that name was made again", async () => {
    const { name, token } = await harness.createCluster();
    await harness.clusters.remove(name);
    await expect(harness.enroll({ token })).rejects.toMatchObject({ code: "ENROLL_TOKEN_UNKNOWN" });
    await harness.clusters.create({ name, roles: ["proxy"] });
    await expect(harness.enroll({ token })).rejects.toMatchObject({ code: "ENROLL_TOKEN_UNKNOWN" });
  });

  it("doesn't say whether a token's id or its secret is wrong", async () => {
    const { token } = await harness.createCluster();
    const [prefix, id = "", secret = "", fingerprint] = token.split("_");
    const wrongSecret = [prefix, id, swap(secret), fingerprint].join("_");
    const wrongId = [prefix, swap(id), secret, fingerprint].join("_");
    const errors = await Promise.all(
      [wrongSecret, wrongId].map((each) => harness.enroll({ token: each }).catch((e) => e)),
    );
    expect(errors[0]).toMatchObject({ code: "ENROLL_TOKEN_UNKNOWN", httpStatus: 401 });
    expect(errors[0].message).toBe(errors[1].message);
    expect((await harness.enroll({ token })).roles).toEqual(["proxy"]);
  });

  it("refuses a token that names another authority", async () => {
    const { token } = await harness.createCluster();
    const other = token.replace(/[0-9a-f]{64}$/, "0".repeat(64));
    await expect(harness.enroll({ token: other })).rejects.toMatchObject({ code: "ENROLL_TOKEN_FOREIGN" });
  });

  it.each(["", "hello", "flj_short_x_y"])("refuses %j, which is no token", async (token) => {
    await expect(harness.enroll({ token })).rejects.toMatchObject({ code: "ENROLL_TOKEN_MALFORMED", httpStatus: 400 });
  });

  it("refuses roles that the token isn't for", async () => {
    const { token } = await harness.createCluster(["observe"]);
    await expect(harness.enroll({ token, roles: ["observe", "execute"] })).rejects.toMatchObject({
      code: "ENROLL_ROLE_NOT_ALLOWED",
      httpStatus: 403,
    });
  });

  it("refuses no roles, and a role twice", async () => {
    const { token } = await harness.createCluster();
    await expect(harness.enroll({ token, roles: [] })).rejects.toMatchObject({ code: "ENROLL_ROLES_INVALID" });
    await expect(harness.enroll({ token, roles: ["proxy", "proxy"] })).rejects.toMatchObject({
      code: "ENROLL_ROLES_INVALID",
    });
  });

  it("issues nothing for a hostile request, and the token stays good", async () => {
    const { name, token } = await harness.createCluster();
    const { csrDer } = await createCsr();
    const broken = csrDer.slice();
    broken[csrDer.length - 1] = (broken[csrDer.length - 1] ?? 0) ^ 1;
    for (const hostile of [broken, new Uint8Array(20_000), new Uint8Array(), Buffer.from("garbage")]) {
      await expect(harness.enroll({ token, csr: { keyPem: "", csrDer: hostile } })).rejects.toMatchObject({
        code: expect.stringMatching(/^ENROLL_CSR_/),
      });
    }
    expect(await harness.identity.list(name)).toEqual([]);
    expect((await harness.enroll({ token })).cluster).toBe(name);
  });

  it("keeps hashes of secrets and never the secrets", async () => {
    const { token } = await harness.createCluster();
    const secret = token.split("_")[2] ?? "missing";
    const rows = await harness.store.db.selectFrom("join_token").selectAll().execute();
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(secret);
  });
});

describe("making a join token", () => {
  it.each([0, 999, 8 * 24 * 60 * minuteMs, Number.NaN])("refuses a life of %d ms", async (ttlMs) => {
    const { name } = await harness.createCluster();
    await expect(harness.identity.createJoinToken({ cluster: name, tokenTtlMs: ttlMs })).rejects.toMatchObject({
      code: "ENROLL_TOKEN_TTL_INVALID",
    });
  });

  it("needs a cluster that is there", async () => {
    await expect(harness.identity.createJoinToken({ cluster: "nobody" })).rejects.toMatchObject({
      code: "CLUSTER_NOT_FOUND",
    });
  });

  it("brings a revoked cluster back, with a new key, while the old identity stays revoked", async () => {
    const { name, token } = await harness.createCluster();
    const old = await harness.enroll({ token });
    await harness.clusters.revoke(name, "laptop lost");
    const next = await harness.identity.createJoinToken({ cluster: name });
    expect(harness.clusters.get(name).state).toBe("revoked");
    const fresh = await harness.enroll({ token: next.token });
    expect(harness.clusters.get(name).state).toBe("never-connected");
    await expect(harness.identity.authenticatePeer(toDer(old.certificateChainPem))).rejects.toMatchObject({
      code: "IDENTITY_REVOKED",
    });
    expect(await harness.identity.authenticatePeer(toDer(fresh.certificateChainPem))).toMatchObject({ cluster: name });
  });
});

/** Another text of the same shape. */
function swap(text: string): string {
  return (text.startsWith("0") ? "1" : "0") + text.slice(1);
}
