// A database in a thread: what goes in comes out, and whatever ends the thread, nobody waits for ever.
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { openStore, type Store } from "./store.ts";

let folder: string;
let store: Store;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-thread-"));
  store = await openStore({ dataDir: folder });
}, 120_000);
beforeEach(() => store.check());
afterAll(async () => {
  await store[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

test("values of every kind come back as they went in", async () => {
  await sql`create table kinds (at timestamptz, doc jsonb, bytes bytea, big int8, texts text[], yes bool)`.execute(
    store.db,
  );
  const row = {
    at: new Date(Date.UTC(2030, 0, 1, 1, 2, 3, 4)),
    doc: { a: ["ü'\"\\", 1, null], b: { c: true } },
    bytes: Buffer.from("of the pool that all small buffers share").subarray(3, 6),
    big: 2n ** 62n,
    texts: ["a,b", "{}", ""],
    yes: true,
  };
  const values = sql.join([row.at, row.doc, row.bytes, row.big, row.texts, row.yes]);
  const { numAffectedRows } = await sql`insert into kinds values (${values})`.execute(store.db);
  expect(numAffectedRows).toBe(1n);
  const { rows } = await sql<typeof row>`select * from kinds`.execute(store.db);
  expect(rows).toEqual([{ ...row, bytes: new Uint8Array(row.bytes) }]);
});

test("an error says which constraint it was, and leaves the database as it is", async () => {
  await sql`create table once (id int constraint only_once primary key)`.execute(store.db);
  await sql`insert into once values (1)`.execute(store.db);
  await expect(sql`insert into once values (1)`.execute(store.db)).rejects.toMatchObject({
    code: "23505",
    severity: "ERROR",
    constraint: "only_once",
    table: "once",
    message: expect.stringContaining("only_once"),
  });
  await expect(sql`select ${Symbol("no value")}`.execute(store.db)).rejects.toThrow(/could not be cloned/);
  await store.check();
});

test("this thread goes on while a statement runs", async () => {
  const running = sql`select count(*) from generate_series(1, 3000000)`.execute(store.db).then(() => "done");
  await expect(Promise.race([running, new Promise((resolve) => setImmediate(resolve, "first"))])).resolves.toBe(
    "first",
  );
  await expect(running).resolves.toBe("done");
});

test("a thread that dies fails the statement that runs, and all of its transaction; the next one finds all that was kept", async () => {
  await sql`create table kept (id int)`.execute(store.db);
  const { thread } = await watchThread();
  let last: unknown;
  const failing = store.db.transaction().execute(async (trx) => {
    await sql`insert into kept values (1)`.execute(trx);
    const running = sql`select count(*) from generate_series(1, 1000000000)`.execute(trx);
    await thread.terminate();
    await running.catch(() => undefined);
    last = await sql`select 1`.execute(trx).catch((error: unknown) => error);
    await running;
  });
  const waiting = sql`insert into kept values (2)`.execute(store.db);
  await expect(failing).rejects.toMatchObject({ code: "STORE_FAILED", httpStatus: 503, retryable: true });
  expect(last).toMatchObject({ code: "STORE_FAILED" });
  await waiting;
  expect((await sql`select id from kept`.execute(store.db)).rows).toEqual([{ id: 2 }]);
});

test("a thread that dies while nobody asks is replaced, and its reason isn't anybody's", async () => {
  const { thread } = await watchThread();
  thread.emit("error", new Error("out of memory"));
  await thread.terminate();
  await store.check();
});

test("a statement that never ends is given up, and the database is there again", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const lost = sql`select count(*) from generate_series(1, 1000000000000)`.execute(store.db);
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1));
    vi.advanceTimersByTime(10 * 60_000);
    await expect(lost).rejects.toMatchObject({
      code: "STORE_FAILED",
      cause: { message: expect.stringMatching(/took/) },
    });
  } finally {
    vi.useRealTimers();
  }
  await store.check();
});

test("a process that asks nothing more ends, though it closed nothing", () => {
  const index = new URL("./index.ts", import.meta.url).href;
  const program = `
    const { openStore } = await import(${JSON.stringify(index)});
    const store = await openStore({ dataDir: process.argv[1] });
    await store.check();
    console.log("asked");
  `;
  const dataDir = join(folder, "unclosed");
  const args = ["--conditions=@fairlead/source", "--input-type=module", "--eval", program, dataDir];
  const ended = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 150_000 });
  expect([ended.status, ended.stdout.trim(), ended.stderr]).toEqual([0, "asked", ""]);
});

/** Takes hold of the store's thread as it is sent its next statement. */
async function watchThread(): Promise<{ readonly thread: Worker }> {
  const send = vi.spyOn(Worker.prototype, "postMessage");
  await store.check();
  const thread = send.mock.contexts[0];
  send.mockRestore();
  if (!(thread instanceof Worker)) throw new Error(`no thread of ${fileURLToPath(import.meta.url)}`);
  return { thread };
}
