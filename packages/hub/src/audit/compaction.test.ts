import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createMovableClock, type MovableClock } from "../identity/identity.fixture.ts";
import type { Store } from "../store/index.ts";
import { openMemoryStore } from "../store/memory-store.fixture.ts";
import { createTestLog, done, forgetRecords, startOf } from "./audit.fixture.ts";
import { type Audit, openAudit } from "./index.ts";

let store: Store;
let clock: MovableClock;
let audit: Audit;
beforeAll(async () => {
  store = await openMemoryStore();
});
afterAll(async () => await store[Symbol.asyncDispose]());
beforeEach(async () => {
  await forgetRecords(store);
  clock = createMovableClock(Date.now());
  audit = await openAudit({ db: store.db, log: createTestLog().log, clock });
});
afterEach(async () => await audit[Symbol.asyncDispose]());

async function recordSome(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const name = `user-${index % 7}`;
    audit.begin(startOf({ principal: { kind: "user", name, uid: "u" }, cluster: `c-${index % 3}` })).end(done);
    await audit.flush();
  }
}

async function countBlocks(): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from audit_block`.execute(store.db);
  return rows[0]?.count ?? 0;
}

describe("the blocks of quiet times", () => {
  it("become few, with the same records, the same chain and the same names to find them by", async () => {
    await recordSome(100);
    const before = (await audit.feed.list({ limit: 1_000 })).items;
    const { headHash } = await audit.verify();
    expect(await countBlocks()).toBe(100);
    clock.move(61_000);
    await expect.poll(countBlocks, { timeout: 20_000 }).toBe(1);
    await recordSome(50);
    clock.move(61_000);
    await expect.poll(countBlocks, { timeout: 20_000 }).toBe(1);

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
    await sql.raw(damage).execute(store.db);
    clock.move(61_000);
    await expect.poll(() => clock.pendingCount, { timeout: 20_000 }).toBeGreaterThan(0);

    await expect.poll(async () => (await audit.verify()).brokenAt, { timeout: 20_000 }).toBe(20);
    expect(await countBlocks()).toBeGreaterThan(1);
  });
});
