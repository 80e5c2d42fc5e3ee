// Hubs that share a database follow each other from one authority to the next.
import { X509Certificate } from "node:crypto";
import { createMovableClock } from "@fairlead/kernel/testing";
import { createCsr } from "@fairlead/protocol/x509";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { keepServerCertificate, type Pki } from "./index.ts";
import { fingerprints, openSharedHarness, type SharedHarness, type SharedHub } from "./shared.fixture.ts";

const patient = { timeout: 60_000 };

describe.each([
  ["that tell each other", { isDeaf: false }],
  ["whose hints are lost", { isDeaf: true }],
])("hubs %s", (_which, options) => {
  let harness: SharedHarness;
  let one: SharedHub;
  let two: SharedHub;
  beforeEach(async () => {
    harness = await openSharedHarness(options);
    [one, two] = [await harness.openHub(), await harness.openHub()];
  });
  afterEach(() => harness[Symbol.asyncDispose]());

  it("follow a rotation and a retirement, and tell their listeners once of each", async () => {
    const [old = ""] = fingerprints(one.pki);
    using listener = await keepServerCertificate({ pki: two.pki, names: [], onRenewed: () => undefined });
    const { serial } = listener.current();
    await one.pki.rotate();
    await expect.poll(() => fingerprints(two.pki), patient).toEqual(fingerprints(one.pki));
    expect(issuerOf(two.pki, (await issueAgent(one.pki)).certPem)).toBe(fingerprints(one.pki)[1]);
    await expect.poll(() => listener.current().serial, patient).not.toBe(serial);
    expect(issuerOf(one.pki, listener.current().certPem)).toBe(old);

    await two.pki.retire();
    await expect.poll(() => fingerprints(one.pki), patient).toEqual(fingerprints(two.pki));
    expect(fingerprints(one.pki)).not.toContain(old);
    expect(one.pki.caPem).toBe(two.pki.caPem);
    await expect.poll(() => issuerOf(one.pki, listener.current().certPem), patient).toBe(fingerprints(one.pki)[0]);
    await Promise.all([one, two].map(({ changes }) => changes.settled()));
    expect([one.changed(), two.changed()]).toEqual([2, 2]);
  });

  it("that rotate at once: one wins, and the other says that it is under way and goes by the winner's", async () => {
    const results = await Promise.allSettled([one.pki.rotate(), two.pki.rotate()]);
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(results.find(({ status }) => status === "rejected")).toMatchObject({
      reason: { code: "PKI_ROLLOVER_UNDER_WAY" },
    });
    expect(fingerprints(one.pki)).toEqual(fingerprints(two.pki));
    expect(fingerprints((await harness.openHub()).pki)).toEqual(fingerprints(one.pki));
  });

  it("that retire at once: one does it, and for the other there is nothing left", async () => {
    await one.pki.rotate();
    await two.pki.refresh();
    const [, coming] = fingerprints(one.pki);
    const results = await Promise.allSettled([one.pki.retire(), two.pki.retire()]);
    expect(results.find(({ status }) => status === "rejected")).toMatchObject({
      reason: { code: "PKI_NOTHING_TO_RETIRE" },
    });
    expect([...fingerprints(one.pki), ...fingerprints(two.pki)]).toEqual([coming, coming]);
  });

  it("take over what others changed at once when they are asked to", async () => {
    await one.pki.rotate();
    await Promise.all([two.pki.refresh(), two.pki.refresh()]);
    expect(fingerprints(two.pki)).toEqual(fingerprints(one.pki));
    await two.pki.refresh();
    expect(two.changed()).toBe(1);
  });

  it("that are no longer there change nothing", async () => {
    await two.pki[Symbol.asyncDispose]();
    const before = fingerprints(two.pki);
    await one.pki.rotate();
    await two.changes.settled();
    expect([fingerprints(two.pki), two.changed()]).toEqual([before, 0]);
  });
});

describe("a hub that was away", () => {
  let harness: SharedHarness;
  beforeEach(async () => {
    harness = await openSharedHarness({ isDeaf: true });
  });
  afterEach(() => harness[Symbol.asyncDispose]());

  it.each([
    ["a whole rollover", 1],
    ["several", 3],
  ])("through %s comes right by itself, with its listeners", async (_what, times) => {
    const clock = createMovableClock();
    const [one, away] = [await harness.openHub(), await harness.openHub({ changesClock: clock })];
    await away.changes.settled();
    using listener = await keepServerCertificate({ pki: away.pki, names: [], onRenewed: () => undefined });
    const agent = (await issueAgent(away.pki)).certPem;
    const before = fingerprints(away.pki);
    for (let count = 0; count < times; count++) {
      await one.pki.rotate();
      await one.pki.retire();
    }
    expect([fingerprints(away.pki), away.changed()]).toEqual([before, 0]);
    clock.move(1_000);
    await expect.poll(() => fingerprints(away.pki), patient).toEqual(fingerprints(one.pki));
    await expect.poll(() => issuerOf(one.pki, listener.current().certPem), patient).toBe(one.pki.caFingerprint);
    expect([away.changed(), issuerOf(away.pki, agent)]).toEqual([1, undefined]);
  });

  it("changes nothing that others have changed meanwhile", async () => {
    const [one, away] = [await harness.openHub(), await harness.openHub({ changesClock: createMovableClock() })];
    await away.changes.settled();
    await one.pki.rotate();
    await one.pki.retire();
    await expect(away.pki.rotate()).rejects.toMatchObject({ code: "PKI_ROLLOVER_UNDER_WAY" });
    expect(fingerprints(away.pki)).toEqual(fingerprints(one.pki));
    await one.pki.rotate();
    await away.pki.refresh();
    await one.pki.retire();
    await one.pki.rotate();
    const now = fingerprints(one.pki);
    await expect(away.pki.retire()).rejects.toMatchObject({ code: "PKI_NOTHING_TO_RETIRE" });
    expect([fingerprints(away.pki), fingerprints((await harness.openHub()).pki)]).toEqual([now, now]);
  });

  it("keeps what it knows while the database has none", async () => {
    const { pki, changed } = await harness.openHub();
    const before = fingerprints(pki);
    await harness.store.db.deleteFrom("authority").execute();
    await expect(pki.refresh()).rejects.toMatchObject({ code: "PKI_UNREADABLE" });
    await expect(pki.rotate()).rejects.toMatchObject({ code: expect.stringMatching(/^PKI_/) });
    expect([fingerprints(pki), changed()]).toEqual([before, 0]);
  });
});

async function issueAgent(pki: Pki): Promise<{ readonly certPem: string }> {
  const { csrDer } = await createCsr();
  return await pki.issueAgent({ csrDer, cluster: "east", roles: ["proxy"], ttlMs: 60_000 });
}

function issuerOf(pki: Pki, certPem: string): string | undefined {
  return pki.issuerOf(new X509Certificate(certPem));
}
