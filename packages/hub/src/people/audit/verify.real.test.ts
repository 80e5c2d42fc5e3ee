import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { createMovableClock, type MovableClock } from "@fairlead/kernel/testing";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { done, startOf, useAuditHarness } from "./audit.fixture.ts";
import type { Audit } from "./index.ts";

const harness = useAuditHarness();
let audit: Audit;
beforeEach(async () => {
  audit = await harness.open();
  // Ten blocks of three.
  for (let index = 1; index <= 30; index += 1) {
    audit.begin(startOf({ requestId: `req-${index}` })).end(done);
    if (index % 3 === 0) await audit.flush();
  }
});
afterEach(async () => {
  await audit[Symbol.asyncDispose]();
});

async function rewrite(firstSeq: number, change: (lines: string[]) => string[]): Promise<void> {
  const { lines } = await harness.store.db
    .selectFrom("audit_block")
    .select("lines")
    .where("first_seq", "=", firstSeq)
    .executeTakeFirstOrThrow();
  const text = change(zstdDecompressSync(lines).toString().split("\n")).join("\n");
  await harness.store.db
    .updateTable("audit_block")
    .set({ lines: zstdCompressSync(text) })
    .where("first_seq", "=", firstSeq)
    .execute();
}

describe("a chain of records", () => {
  it("is whole as it was written, and its head is the newest record's hash", async () => {
    const [newest] = (await audit.feed.list({ limit: 1 })).items;

    expect(await audit.verify()).toEqual({ ok: true, records: 30, firstSeq: 1, lastSeq: 30, headHash: newest?.hash });
  });

  it.each<[string, number, () => Promise<unknown>]>([
    [
      "a record was changed",
      8,
      () => rewrite(7, (lines) => lines.with(1, lines[1]?.replace("alice", "mallory") ?? "")),
    ],
    ["a record was left out", 8, () => rewrite(7, (lines) => lines.toSpliced(1, 1))],
    ["a record was put in", 9, () => rewrite(7, (lines) => lines.toSpliced(1, 0, lines[1] ?? ""))],
    ["two records changed places", 7, () => rewrite(7, (lines) => lines.toReversed())],
    ["a record isn't readable", 7, () => rewrite(7, () => ["nonsense"])],
    [
      "a block isn't readable",
      7,
      () => sql`update audit_block set lines = '\\x00' where first_seq = 7`.execute(harness.store.db),
    ],
    ["a block is gone", 7, () => sql`delete from audit_block where first_seq = 7`.execute(harness.store.db)],
    ["the oldest are gone", 1, () => sql`delete from audit_block where first_seq < 10`.execute(harness.store.db)],
    ["the newest are gone", 25, () => sql`delete from audit_block where first_seq >= 25`.execute(harness.store.db)],
    [
      "a name can't be found",
      7,
      () => sql`update audit_block set users = '{bob}' where first_seq = 7`.execute(harness.store.db),
    ],
    ["the head is another", 30, () => sql`update audit_head set last_hash = repeat('1', 64)`.execute(harness.store.db)],
  ])("is broken where %s", async (_, brokenAt, damage) => {
    await damage();

    expect(await audit.verify()).toMatchObject({ ok: false, brokenAt });
  });

  it("goes on after a restart", async () => {
    await audit[Symbol.asyncDispose]();
    audit = await harness.open();
    audit.begin(startOf()).end(done);

    expect(await audit.verify()).toMatchObject({ ok: true, records: 31 });
  });

  it("stays whole when the oldest records are old enough to go", async () => {
    await audit[Symbol.asyncDispose]();
    const clock = createMovableClock(Date.now());
    await sql`update audit_block set last_at = now() - interval '91 days' where first_seq <= 10`.execute(
      harness.store.db,
    );
    await sql`update audit_block set last_at = now() - interval '91 days' where first_seq = 22`.execute(
      harness.store.db,
    );
    audit = await harness.open({ clock });
    clock.move(61_000);
    await expect.poll(countBlocks).toBe(6);

    expect(await audit.verify()).toMatchObject({ ok: true, firstSeq: 13, lastSeq: 30 });
    expect((await audit.feed.list({})).items).toHaveLength(18);
  });
});

async function recordSome(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const name = `user-${index % 7}`;
    audit.begin(startOf({ principal: { kind: "user", name, uid: "u" }, cluster: `c-${index % 3}` })).end(done);
    await audit.flush();
  }
}

async function countBlocks(): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from audit_block`.execute(
    harness.store.db,
  );
  return rows[0]?.count ?? 0;
}

describe("the blocks of quiet times", () => {
  let clock: MovableClock;
  beforeEach(async () => {
    await audit[Symbol.asyncDispose]();
    await harness.forgetRecords();
    clock = createMovableClock(Date.now());
    audit = await harness.open({ clock });
  });

  it("become few, with the same records, the same chain and the same names to find them by", async () => {
    await recordSome(100);
    const before = (await audit.feed.list({ limit: 1_000 })).items;
    const { headHash } = await audit.verify();
    expect(await countBlocks()).toBe(100);
    clock.move(61_000);
    await expect.poll(countBlocks).toBe(1);
    await recordSome(50);
    clock.move(61_000);
    await expect.poll(countBlocks).toBe(1);

    expect(await audit.verify()).toMatchObject({ ok: true, records: 150 });
    const after = (await audit.feed.list({ limit: 1_000 })).items;
    expect(after.slice(50)).toEqual(before);
    expect(after[50]?.hash).toBe(headHash);
    expect((await audit.feed.list({ user: "user-3", cluster: "c-0" })).items).toHaveLength(
      after.filter(({ who, cluster }) => who.name === "user-3" && cluster === "c-0").length,
    );
  });

  it.each([
    ["are missing", "delete from audit_block where first_seq = 20"],
    ["can't be read", "update audit_block set lines = '\\x00' where first_seq = 20"],
  ])("stay as they are where records %s, so that it is still found", async (_, damage) => {
    await recordSome(64);
    await sql.raw(damage).execute(harness.store.db);
    clock.move(61_000);
    await expect.poll(() => clock.pendingCount).toBeGreaterThan(0);

    await expect.poll(async () => (await audit.verify()).brokenAt).toBe(20);
    expect(await countBlocks()).toBeGreaterThan(1);
  });
});
