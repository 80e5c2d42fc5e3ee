// Stores follow one another on the same folder, with a real database in it.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { expect, test, vi } from "vitest";
import { openStore } from "../store.ts";

test("a store that was let go answers nothing more, and the one that waited has its data", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "fairlead-letting-go-"));
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => rm(dataDir, { recursive: true, force: true }));
  const first = cleanup.use(await openStore({ dataDir }));
  await sql`create table handed as select 42 as answer`.execute(first.db);
  const onWait = vi.fn();
  const opening = openStore({ dataDir, waitMs: 60_000, onWait });
  await vi.waitFor(async () => expect(await first.succession?.isAwaited()).toBe(true), { timeout: 60_000 });

  const running = Promise.allSettled(Array.from({ length: 20 }, () => sql`select 1`.execute(first.db)));
  await first.succession?.letGo();
  for (const outcome of await running) {
    if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "STORE_HANDED_OVER" });
  }
  await expect(sql`select 1`.execute(first.db)).rejects.toMatchObject({ code: "STORE_HANDED_OVER", retryable: true });
  await expect(first.db.transaction().execute((trx) => sql`select 1`.execute(trx))).rejects.toMatchObject({
    code: "STORE_HANDED_OVER",
  });
  // It isn't broken: it serves what it can until the other one is there.
  await first.check();

  const second = cleanup.use(await opening);
  const { rows } = await sql<{ answer: number }>`select answer from handed`.execute(second.db);
  expect(rows).toEqual([{ answer: 42 }]);
  expect(await first.succession?.untilServed(100)).toBe(false);
  await second.succession?.announce();
  expect(await first.succession?.untilServed(5_000)).toBe(true);
  expect(onWait).toHaveBeenCalledTimes(1);
}, 120_000);
