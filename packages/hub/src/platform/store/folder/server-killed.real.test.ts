// The database is killed, wholly or in part, while its hub serves.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endDatabase } from "@fairlead/testkit";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { ServerState } from "../postgres/index.ts";
import { openStore } from "../store.ts";
import type { Store } from "../types.ts";
import { markProcess } from "./process-mark.ts";

let dataDir: string;
let store: Store;
const states: ServerState[] = [];
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "fairlead-killed-"));
  store = await openStore({ dataDir, onServerChange: (state) => void states.push(state) });
  await sql`create table kept as select 1 as row`.execute(store.db);
});
beforeEach(async () => {
  await vi.waitFor(() => expect(states.at(-1)?.kind).toBe("running"));
  states.splice(0, states.length - 1);
});
afterAll(async () => {
  await store[Symbol.asyncDispose]();
  await endDatabase(dataDir);
  await rm(dataDir, { recursive: true, force: true });
});

test("a killed backend fails what all connections do with a code, and all goes on", async () => {
  const transaction = store.db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
    process.kill(rows[0]?.pid ?? 0, "SIGKILL");
    // The connection is cut between two statements, when nobody asks it anything.
    await untilAnswered(() => sql`select * from kept`.execute(store.queries));
    await sql`insert into kept values (2)`.execute(trx);
  });
  const sleeping = sql`select pg_sleep(60)`.execute(store.queries);
  await Promise.all([
    expect(sleeping).rejects.toMatchObject({ httpStatus: 503, retryable: true, code: /^STORE_(?:FAILED|DOWN)$/ }),
    expect(transaction).rejects.toMatchObject({ code: /^STORE_(?:FAILED|DOWN)$/ }),
  ]);
  await untilAnswered(() => store.check());
  expect((await sql`select * from kept`.execute(store.db)).rows).toEqual([{ row: 1 }]);
  // The server doesn't go on by itself after such a thing; the hub starts another.
  await vi.waitFor(() => expect(states.map(({ kind }) => kind)).toEqual(["running", "down", "running"]));
});

test("a killed server is started again, and requests get a code meanwhile", async () => {
  await killServer();
  await untilDown();
  const codes = new Set<unknown>();
  await untilAnswered(
    () => sql`select * from kept`.execute(store.db),
    (error) => codes.add((error as { readonly code?: unknown }).code),
  );
  expect([...codes].every((code) => code === "STORE_DOWN" || code === "STORE_FAILED")).toBe(true);
  await vi.waitFor(() => expect(states.map(({ kind }) => kind)).toEqual(["running", "down", "running"]));
  expect((await sql`select * from kept`.execute(store.db)).rows).toEqual([{ row: 1 }]);
  await untilAnswered(() => store.check());
});

test("backends that a killed server left are ended before the next server starts", async () => {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(store.queries);
  // It computes and never waits, so it doesn't notice by itself that its server is gone.
  const endless = sql`do $$ begin loop end loop; end $$`.execute(store.queries).catch((error: unknown) => error);
  await killServer();
  await untilDown();
  await untilAnswered(() => store.check());
  expect(await endless).toMatchObject({ code: /^STORE_(?:FAILED|DOWN)$/ });
  expect(await markProcess(rows[0]?.pid ?? 0)).toBeUndefined();
});

test("a store that is closed while its server is down leaves no server", async () => {
  await killServer();
  await untilDown();
  await store[Symbol.asyncDispose]();
  await expect(openStore({ dataDir }).then((next) => next[Symbol.asyncDispose]())).resolves.toBeUndefined();
  expect(states.at(-1)?.kind).toBe("stopped");
});

async function killServer(): Promise<void> {
  const running = states[0];
  if (running?.kind !== "running") throw new Error("no server runs");
  process.kill(running.process.pid, "SIGKILL");
}

/** The hub has noticed; before, backends of the killed server may still answer. */
async function untilDown(): Promise<void> {
  await vi.waitFor(() => expect(states[1]?.kind).toBe("down"), { timeout: 60_000, interval: 1 });
}

async function untilAnswered(ask: () => Promise<unknown>, onError: (error: unknown) => void = () => {}): Promise<void> {
  await vi.waitFor(
    async () => {
      await ask().catch((error: unknown) => {
        onError(error);
        throw error;
      });
    },
    { timeout: 60_000, interval: 10 },
  );
}
