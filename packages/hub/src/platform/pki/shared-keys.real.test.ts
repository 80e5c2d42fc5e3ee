// Hubs that share a database get another key encryption key one by one.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { KeySealFiles } from "./index.ts";
import { fingerprints, openSharedHarness, type SharedHarness, type SharedHub } from "./shared.fixture.ts";

let harness: SharedHarness;
let old: KeySealFiles;
let both: KeySealFiles;
let fresh: KeySealFiles;
beforeEach(async () => {
  harness = await openSharedHarness();
  old = { file: harness.key("one") };
  both = { file: harness.key("two"), previousFile: harness.key("one") };
  fresh = { file: harness.key("two") };
});
afterEach(() => harness[Symbol.asyncDispose]());

const open = (keySeal: KeySealFiles): Promise<SharedHub> => harness.openHub({ keySeal });

describe("while hubs get another key encryption key", () => {
  it("those that have the old one alone go on: they start, follow rollovers and make them", async () => {
    const before = await open(old);
    const after = await open(both);
    const restarted = await open(old);
    await after.pki.rotate();
    await expectAllAt([before, after, restarted]);
    await restarted.pki.retire();
    await expectAllAt([before, after, restarted]);
    await before.pki.rotate();
    await expectAllAt([before, after, restarted, await open(old), await open(both)]);
    expect(harness.warned).toEqual([]);
  });

  it("the new one alone is enough once some hub had both, whatever was made meanwhile by the old one", async () => {
    const before = await open(old);
    const after = await open(both);
    await before.pki.rotate();
    await expectAllAt([after, before]);
    await expect.poll(countKeys, patient).toBe(4);
    const last = await open(fresh);
    expect(fingerprints(last.pki)).toEqual(fingerprints(before.pki));
  });

  it("what the old one encrypted is removed by the first hub that starts without it, and hubs that run go on", async () => {
    const before = await open(old);
    const after = await open(both);
    expect(await countKeys()).toBe(2);
    await open(old);
    await open(both);
    expect(await countKeys()).toBe(2);
    const last = await open(fresh);
    expect(await countKeys()).toBe(1);
    await expect(open(old)).rejects.toMatchObject({ code: "PKI_KEY_ENCRYPTION_KEY_WRONG" });
    await Promise.all([before, after, last].map(({ pki }) => pki.refresh()));
    expect(before.pki.caPem).toBe(last.pki.caPem);
  });

  it("a hub that was left with the old one says so when there is a new authority, and serves by those that it knows", async () => {
    const before = await open(old);
    await open(both);
    const last = await open(fresh);
    const known = fingerprints(before.pki);
    await last.pki.rotate();
    await expect.poll(() => harness.warned, patient).toContain("PKI_KEY_ENCRYPTION_KEY_WRONG");
    expect(fingerprints(before.pki)).toEqual(known);
    await before.pki.issueServer({ names: [] });
    await expect(before.pki.retire()).rejects.toMatchObject({ code: "PKI_NOTHING_TO_RETIRE" });
    expect(fingerprints((await open(fresh)).pki)).toEqual(fingerprints(last.pki));
  });

  it("the way back is the same", async () => {
    await open(old);
    await open(both);
    await open({ file: harness.key("one"), previousFile: harness.key("two") });
    expect(await countKeys()).toBe(2);
    await open(fresh);
    expect(await countKeys()).toBe(2);
    await open(old);
    expect(await countKeys()).toBe(1);
    await expect(open(fresh)).rejects.toMatchObject({ code: "PKI_KEY_ENCRYPTION_KEY_WRONG" });
  });

  it("nobody starts with the new one alone before some hub had both", async () => {
    await open(old);
    await expect(open(fresh)).rejects.toMatchObject({ code: "PKI_KEY_ENCRYPTION_KEY_WRONG" });
    expect(await countKeys()).toBe(1);
  });
});

async function expectAllAt(hubs: readonly SharedHub[]): Promise<void> {
  const [first] = hubs;
  const rows = await harness.store.db
    .selectFrom("authority")
    .select("fingerprint")
    .where("state", "<>", "retired")
    .execute();
  const kept = rows.map(({ fingerprint }) => fingerprint).sort();
  for (const { pki } of hubs) await expect.poll(() => fingerprints(pki).sort(), patient).toEqual(kept);
  expect(new Set(hubs.map(({ pki }) => pki.caPem))).toEqual(new Set([first?.pki.caPem]));
}

async function countKeys(): Promise<number> {
  return (await harness.store.db.selectFrom("authority_key").select("key_id").execute()).length;
}

const patient = { timeout: 60_000 };
