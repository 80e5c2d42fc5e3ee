// Hubs that share a database have one authority, whoever makes it or brings it.
import { X509Certificate } from "node:crypto";
import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createMovableClock } from "@fairlead/kernel/testing";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fingerprints, openSharedHarness, type SharedHarness, type SharedHub } from "./shared.fixture.ts";

const swapKeys = sql`update authority_key set sealed_key = (
  select sealed_key from authority_key key join authority on fingerprint = key.authority where state = 'coming')`;
let harness: SharedHarness;
beforeEach(async () => {
  harness = await openSharedHarness();
});
afterEach(() => harness[Symbol.asyncDispose]());

describe("an authority in the database", () => {
  it("is made once, however many hubs start together, and found by those that come later", async () => {
    const hubs = await Promise.all(Array.from({ length: 6 }, () => harness.openHub()));
    const later = await harness.openHub();
    expect(new Set([...hubs, later].map(({ pki }) => pki.caPem)).size).toBe(1);
    expect(await readTable("authority")).toMatchObject([{ state: "current", fingerprint: later.pki.caFingerprint }]);
    const seen = later.pki.issuerOf((await issueServer(hubs[0])).certificate);
    expect(seen).toBe(later.pki.caFingerprint);
  });

  it("is kept with an encrypted key alone, while one follows another, and after", async () => {
    const { pki } = await harness.openHub();
    expect(await describeKeys()).toEqual(["current: sealed"]);
    await pki.rotate();
    expect(await describeKeys()).toEqual(["coming: sealed", "current: sealed"]);
    await pki.retire();
    expect(await describeKeys()).toEqual(["current: sealed"]);
    expect(JSON.stringify([await readTable("authority"), await readTable("authority_key")])).not.toContain("PRIVATE");
  });

  it("isn't made or taken in by a hub without a key encryption key, and nothing is written", async () => {
    const dataDir = harness.folder("one");
    await harness.openAlone(dataDir);
    for (const wishes of [{ keySeal: {} }, { keySeal: {}, dataDir }]) {
      await expect(harness.openHub(wishes)).rejects.toMatchObject({
        code: "PKI_KEY_ENCRYPTION_KEY_NEEDED",
        hint: expect.stringContaining("--key-encryption-key-file"),
      });
    }
    expect(await readTable("authority")).toEqual([]);
    await harness.openAlone(dataDir);
  });

  it("isn't kept in plain by the database itself", async () => {
    const { pki } = await harness.openHub();
    const { keyPem } = await pki.issueServer({ names: [] });
    await expect(sql`update authority_key set sealed_key = ${keyPem}`.execute(harness.store.db)).rejects.toThrow(
      /check/,
    );
  });

  it("is refused to a hub with another key encryption key", async () => {
    await harness.openHub();
    await expect(harness.openHub({ keySeal: { file: harness.key("two") } })).rejects.toMatchObject({
      code: "PKI_KEY_ENCRYPTION_KEY_WRONG",
    });
  });

  it.each([
    ["its key is gone", sql`delete from authority_key`, "PKI_UNREADABLE"],
    ["the old one beside the new is gone", sql`delete from authority where state = 'current'`, "PKI_UNREADABLE"],
    ["its key is the other's", swapKeys, "PKI_SEALED_KEY_DAMAGED"],
    ["its certificate is none", sql`update authority set certificate_pem = 'x'`, "PKI_SEALED_KEY_DAMAGED"],
  ])("is an error and never a new one when %s", async (_what, damage, code) => {
    await (await harness.openHub()).pki.rotate();
    await damage.execute(harness.store.db);
    const before = await readTable("authority");
    await expect(harness.openHub()).rejects.toMatchObject({ code });
    expect(await readTable("authority")).toEqual(before);
  });

  it("isn't used when its time is over", async () => {
    await harness.openHub();
    const clock = createMovableClock(Date.now() + 4000 * 86_400_000);
    await expect(harness.openHub({ clock })).rejects.toMatchObject({ code: "PKI_EXPIRED" });
  });

  it("isn't made where agents go by another one", async () => {
    await insertAgent(3_600_000);
    await expect(harness.openHub()).rejects.toMatchObject({
      code: "PKI_AUTHORITY_ELSEWHERE",
      message: expect.stringContaining("east"),
    });
    expect(await readTable("authority")).toEqual([]);
  });

  it("is made where the last agent's certificate has ended", async () => {
    await insertAgent(-1_000);
    await harness.openHub();
  });
});

describe("the authority of a data folder", () => {
  it("goes into the database, and agents of before are known to every hub", async () => {
    const dataDir = harness.folder("one");
    const alone = await harness.openAlone(dataDir);
    await insertAgent(3_600_000);
    const files = await readFiles(dataDir);
    const hub = await harness.openHub({ dataDir });
    const [second, third] = [await harness.openHub(), await harness.openHub({ dataDir: harness.folder("three") })];
    const { certificate } = await issueServer({ pki: alone });
    for (const { pki } of [hub, second, third]) {
      expect([pki.caPem, pki.issuerOf(certificate)]).toEqual([alone.caPem, alone.caFingerprint]);
    }
    expect(await describeKeys()).toEqual(["current: sealed"]);
    const after = await readFiles(dataDir);
    expect(Object.keys(after)).toEqual(["ca.key", "ca.pem", "in-database"]);
    expect(after["ca.pem"]).toBe(files["ca.pem"]);
  });

  it("goes there with the one that follows it", async () => {
    const dataDir = harness.folder("one");
    const alone = await harness.openAlone(dataDir, { file: harness.key("one") });
    await alone.rotate();
    const { pki } = await harness.openHub({ dataDir });
    expect(fingerprints(pki)).toEqual(fingerprints(alone));
    await pki.retire();
    expect(fingerprints((await harness.openHub({ dataDir })).pki)).toEqual([fingerprints(alone)[1]]);
  });

  it("isn't read any more, whatever becomes of it", async () => {
    const dataDir = harness.folder("one");
    await harness.openAlone(dataDir);
    const { pki } = await harness.openHub({ dataDir });
    await pki.rotate();
    await pki.retire();
    await writeFile(join(dataDir, "pki/ca.key"), "damaged");
    expect((await harness.openHub({ dataDir })).pki.caPem).toBe(pki.caPem);
  });

  it("is the same as the database's when the hub was killed before it could say so, also after others went on", async () => {
    const dataDir = harness.folder("one");
    await harness.openAlone(dataDir);
    const copy = harness.folder("copy");
    await cp(dataDir, copy, { recursive: true });
    const { pki } = await harness.openHub({ dataDir });
    await pki.rotate();
    await pki.retire();
    expect((await harness.openHub({ dataDir: copy })).pki.caPem).toBe(pki.caPem);
  });

  it("is refused when it is another one than the database's, and both stay", async () => {
    const { pki } = await harness.openHub();
    const dataDir = harness.folder("other");
    await harness.openAlone(dataDir);
    const files = await readFiles(dataDir);
    for (const _again of [1, 2]) {
      await expect(harness.openHub({ dataDir })).rejects.toMatchObject({ code: "PKI_FOLDER_DIFFERS" });
    }
    expect(await readFiles(dataDir)).toEqual({ ...files, "ca.key": expect.stringContaining("aes-256-gcm") });
    expect(fingerprints((await harness.openHub()).pki)).toEqual(fingerprints(pki));
  });

  it("is refused when one follows it there that the database doesn't know", async () => {
    const dataDir = harness.folder("one");
    await harness.openAlone(dataDir);
    const copy = harness.folder("copy");
    await cp(dataDir, copy, { recursive: true });
    await harness.openHub({ dataDir });
    await (await harness.openAlone(copy)).rotate();
    await expect(harness.openHub({ dataDir: copy })).rejects.toMatchObject({ code: "PKI_FOLDER_DIFFERS" });
  });

  it("of several that start together is the one that everybody goes by, or refused", async () => {
    const dataDirs = ["one", "two", "three"].map((name) => harness.folder(name));
    const before = await Promise.all(dataDirs.map((dataDir) => harness.openAlone(dataDir)));
    const opened = await Promise.allSettled(dataDirs.map((dataDir) => harness.openHub({ dataDir })));
    const [row] = (await readTable("authority")) as { fingerprint: string }[];
    const winner = before.findIndex(({ caFingerprint }) => caFingerprint === row?.fingerprint);
    expect(winner).toBeGreaterThanOrEqual(0);
    for (const [index, result] of opened.entries()) {
      if (index === winner) expect(result.status).toBe("fulfilled");
      else expect(result).toMatchObject({ reason: { code: "PKI_FOLDER_DIFFERS" } });
    }
  });

  it("keeps the database empty when it is damaged", async () => {
    const dataDir = harness.folder("one");
    await harness.openAlone(dataDir);
    await rm(join(dataDir, "pki/ca.key"));
    await expect(harness.openHub({ dataDir })).rejects.toMatchObject({ code: "PKI_UNREADABLE" });
    expect(await readTable("authority")).toEqual([]);
  });
});

describe("a data folder whose hub goes by the database", () => {
  it.each(["with an authority of before", "without"])("isn't used without it, %s", async (which) => {
    const dataDir = harness.folder("one");
    if (which !== "without") await harness.openAlone(dataDir);
    await harness.openHub({ dataDir });
    const keySeal = { file: harness.key("one") };
    await expect(harness.openAlone(dataDir, keySeal)).rejects.toMatchObject({ code: "PKI_IN_DATABASE" });
    await rm(join(dataDir, "pki/in-database"));
    await harness.openAlone(dataDir, keySeal);
  });

  it("makes no new authority in another database", async () => {
    const dataDir = harness.folder("one");
    await harness.openHub({ dataDir });
    await using other = await openSharedHarness();
    await expect(other.openHub({ dataDir })).rejects.toMatchObject({ code: "PKI_AUTHORITY_ELSEWHERE" });
  });

  it("is refused at another database with an authority of its own, and at none that has gone on", async () => {
    const dataDir = harness.folder("one");
    const { pki } = await harness.openHub({ dataDir });
    await using other = await openSharedHarness();
    await other.openHub();
    await expect(other.openHub({ dataDir })).rejects.toMatchObject({ code: "PKI_FOLDER_DIFFERS" });
    await pki.rotate();
    await pki.retire();
    await harness.openHub({ dataDir });
  });

  it("is an error when its mark says nothing", async () => {
    const dataDir = harness.folder("one");
    await harness.openHub({ dataDir });
    await writeFile(join(dataDir, "pki/in-database"), "");
    await expect(harness.openHub({ dataDir })).rejects.toMatchObject({ code: "PKI_UNREADABLE" });
  });

  it("is an error when it can't be marked", async () => {
    const dataDir = harness.folder("one");
    await harness.openAlone(dataDir);
    await rm(join(dataDir, "pki"), { recursive: true });
    await writeFile(join(dataDir, "pki"), "in the way");
    await expect(harness.openHub({ dataDir })).rejects.toMatchObject({ code: expect.stringMatching(/^PKI_UN/) });
  });
});

it("a hub alone keeps its authority in its folder, as ever", async () => {
  const dataDir = harness.folder("one");
  const { caPem } = await harness.openAlone(dataDir);
  expect((await harness.openAlone(dataDir)).caPem).toBe(caPem);
  expect(Object.keys(await readFiles(dataDir))).toEqual(["ca.key", "ca.pem"]);
});

async function readTable(table: "authority" | "authority_key"): Promise<object[]> {
  return await harness.store.db.selectFrom(table).selectAll().execute();
}

/** The state of each authority with a key, and how the key lies there. */
async function describeKeys(): Promise<string[]> {
  const rows = await harness.store.db
    .selectFrom("authority_key")
    .innerJoin("authority", "authority.fingerprint", "authority_key.authority")
    .select(["state", "sealed_key"])
    .orderBy("state")
    .execute();
  return rows.map(({ state, sealed_key: key }) => `${state}: ${key.includes("aes-256-gcm") ? "sealed" : "plain"}`);
}

async function issueServer(hub: Pick<SharedHub, "pki"> | undefined): Promise<{ certificate: X509Certificate }> {
  const { certPem = "" } = (await hub?.pki.issueServer({ names: [] })) ?? {};
  return { certificate: new X509Certificate(certPem) };
}

async function insertAgent(leftMs: number): Promise<void> {
  const { db } = harness.store;
  await sql`insert into cluster (name, labels, roles, created_at) values ('east', '{}', '{proxy}', now())`.execute(db);
  await sql`insert into identity (serial, cluster, roles, epoch, key_thumbprint, certificate_pem, issued_at, not_after)
    values ('1', 'east', '{proxy}', 0, 'a', 'x', now(), ${new Date(Date.now() + leftMs)})`.execute(db);
}

async function readFiles(dataDir: string): Promise<Record<string, string>> {
  const names = (await readdir(join(dataDir, "pki"))).sort();
  const texts = names.map(async (name) => [name, await readFile(join(dataDir, "pki", name), "utf8")] as const);
  return Object.fromEntries(await Promise.all(texts));
}
