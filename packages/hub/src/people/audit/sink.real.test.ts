import { appendFile, mkdtemp, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTestLog, done, startOf, useAuditHarness } from "./audit.fixture.ts";
import type { Audit } from "./index.ts";

const harness = useAuditHarness();
let folder: string;
let logFile: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-audit-"));
  logFile = join(folder, "audit.jsonl");
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function recordSome(count: number): Promise<string[]> {
  const { log, lines } = createTestLog();
  await using audit: Audit = await harness.open({ log, logFile });
  for (let index = 0; index < count; index += 1) audit.begin(startOf()).end(done);
  await audit.flush();
  return lines;
}

async function readSeqs(): Promise<number[]> {
  const lines = (await readFile(logFile, "utf8")).trimEnd().split("\n");
  return lines.flatMap((line) => (line === "" ? [] : [(JSON.parse(line) as { seq: number }).seq]));
}

describe("the audit log", () => {
  it("has the same records as the store, for its owner's eyes only", async () => {
    await recordSome(600);
    await using audit = await harness.open();
    const { items } = await audit.feed.list({ limit: 1_000 });

    const lines = (await readFile(logFile, "utf8")).trimEnd().split("\n");

    expect(lines.map((line) => JSON.parse(line))).toEqual(items.toReversed());
    expect((await stat(logFile)).mode & 0o777).toBe(0o600);
  });

  it("gets at the next start what it missed, and half a line stays apart", async () => {
    await recordSome(300);
    const text = await readFile(logFile, "utf8");
    const whole = text.split("\n").slice(0, 100).join("\n").length + 1;
    await truncate(logFile, whole);
    await recordSome(0);
    expect(await readSeqs()).toEqual(Array.from({ length: 300 }, (_, index) => index + 1));

    await appendFile(logFile, '{"seq":301,"at":');
    const lines = await recordSome(1);

    expect((await readFile(logFile, "utf8")).trimEnd().split("\n").slice(-2)).toEqual([
      '{"seq":301,"at":',
      expect.stringMatching(/^\{"seq":301,/),
    ]);
    expect(lines).toEqual([]);
  });

  it("tells when the store's records were set back", async () => {
    await recordSome(3);
    const foreign = (await readFile(logFile, "utf8")).trimEnd().replaceAll('"seq":3', '"seq":9');
    await writeFile(logFile, `${foreign}\n`);

    expect(await recordSome(1)).toEqual([expect.stringContaining("at odds")]);
  });

  it.each([
    ["the end was cut off, and the head with it", "delete from audit_block where last_seq > 5", 5],
    ["all were deleted as if of age, and another hash put in their place", "delete from audit_block", 9],
    ["all were deleted as if of age, beyond what the log has", "delete from audit_block", 12],
  ])("tells of a chain that looks whole where %s", async (_what, damage, seq) => {
    for (let count = 0; count < 9; count += 1) await recordSome(1);
    const forged = "1".repeat(64);
    await sql.raw(damage).execute(harness.store.db);
    const { rows } = await sql<{ hash: string }>`select last_hash as hash from audit_block
      order by last_seq desc limit 1`.execute(harness.store.db);
    const hash = rows[0]?.hash ?? forged;
    await sql`update audit_head set last_seq = ${seq}, last_hash = ${hash}`.execute(harness.store.db);
    if (rows.length === 0)
      await sql`update audit_head set anchor_seq = ${seq}, anchor_hash = ${hash}`.execute(harness.store.db);
    {
      await using audit = await harness.open();
      expect(await audit.verify()).toMatchObject({ ok: true });
    }

    expect(await recordSome(0)).toEqual([expect.stringContaining("at odds")]);
  });

  it("has nothing to tell where records are deleted because of their age up to its own last one", async () => {
    await recordSome(3);
    const last = JSON.parse((await readFile(logFile, "utf8")).trimEnd().split("\n").at(-1) ?? "") as { hash: string };
    await sql`delete from audit_block`.execute(harness.store.db);
    await sql`update audit_head set anchor_seq = 3, anchor_hash = ${last.hash}`.execute(harness.store.db);

    expect(await recordSome(1)).toEqual([]);
    expect(await readSeqs()).toEqual([1, 2, 3, 4]);
  });

  it("goes on with a hub that shares its database from now on", async () => {
    await recordSome(3);
    const text = await readFile(logFile, "utf8");
    await truncate(logFile, text.split("\n").slice(0, 2).join("\n").length + 1);
    const { log, lines } = createTestLog();
    const shared = { log, logFile, isShared: true, chainFile: join(folder, "chain") };
    {
      await using audit = await harness.open(shared);
      audit.begin(startOf()).end(done);
    }
    {
      await using audit = await harness.open(shared);
      audit.begin(startOf()).end(done);
    }

    const logged = (await readFile(logFile, "utf8")).trimEnd().split("\n");
    const acts = logged.filter((line) => !line.includes('"heads":'));
    expect(acts.map((line) => (JSON.parse(line) as { chain?: string }).chain?.slice(0, 6))).toEqual([
      undefined,
      undefined,
      undefined,
      "chain_",
      "chain_",
    ]);
    expect(lines.join("")).not.toContain("at odds");
  });

  it("that can't be opened keeps the hub from starting", async () => {
    logFile = join(folder, "none", "audit.jsonl");

    await expect(recordSome(0)).rejects.toMatchObject({ code: "AUDIT_LOG_UNUSABLE" });
  });
});
