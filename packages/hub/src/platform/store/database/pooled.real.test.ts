// A database behind PgBouncer that hands connections round after each transaction, as it comes.
import { startPgBouncer } from "@fairlead/testkit";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../store.ts";
import type { Store } from "../types.ts";
import { password, startTcpServer, type TcpServer } from "./tcp-server.fixture.ts";

const undo = new AsyncDisposableStack();
let server: TcpServer;
let port: number;
beforeAll(async () => {
  server = undo.use(await startTcpServer());
  // Clients share the connections: a setting that one left behind would be met by the next.
  ({ port } = undo.use(
    await startPgBouncer({ port: server.port, password }, "transaction", { settings: ["default_pool_size = 2"] }),
  ));
});
afterAll(() => undo.disposeAsync());

describe("a store behind PgBouncer", () => {
  it("is recognised, keeps the hub's limits and ways, and leaves nothing on the server's connections", async () => {
    const database = await makeDatabase("ways");
    await server.run(`alter database ways set timezone = 'Asia/Tokyo'`);
    await using store = await open(database);
    await using direct = await openDirect(await makeDatabase("beside"));
    expect([store.isPooled, direct.isPooled]).toEqual([true, false]);
    const ask = sql<Record<string, string>>`
      select current_setting('statement_timeout') as limit, current_setting('timezone') as zone`;
    expect((await ask.execute(store.db)).rows).toEqual([{ limit: "1min", zone: "UTC" }]);
    expect((await ask.execute(store.queries)).rows).toEqual([{ limit: "30s", zone: "UTC" }]);
    const within = await store.db.transaction().execute(async (trx) => {
      await sql`set local statement_timeout = 50`.execute(trx);
      return await sql`select pg_sleep(5)`.execute(trx).catch((error: unknown) => error);
    });
    expect(within).toMatchObject({ code: "STORE_SLOW" });
    expect((await ask.execute(store.queries)).rows).toEqual([{ limit: "30s", zone: "UTC" }]);
    const left =
      await server.run(`select count(*)::int as locks from pg_locks l join pg_database d on d.oid = l.database
      where locktype = 'advisory' and datname = 'ways'`);
    expect(left).toEqual([{ locks: 0 }]);
  });

  it("rolls back what fails, and goes on", async () => {
    await using store = await open(await makeDatabase("failing"));
    await sql`create table kept (n integer primary key)`.execute(store.db);
    const insert = (n: number) => sql`insert into kept values (${n})`.execute(store.db);
    await insert(1);
    await expect(insert(1)).rejects.toMatchObject({ code: "23505" });
    await expect(
      store.db.transaction().execute(async (trx) => {
        await sql`insert into kept values (2)`.execute(trx);
        throw new Error("changed my mind");
      }),
    ).rejects.toThrow("changed my mind");
    await Promise.all(Array.from({ length: 50 }, (_, index) => insert(10 + index)));
    expect((await sql`select count(*)::int as n from kept`.execute(store.db)).rows).toEqual([{ n: 51 }]);
  });

  it("is made by two hubs at once that share it", async () => {
    const database = await makeDatabase("twice");
    await using first = await makeDisposable(open(database, { isShared: true }), open(database, { isShared: true }));
    for (const store of first.all) await store.check();
  });

  it("is one hub's, whichever way another one comes, and the next one's when that has ended", {
    timeout: 60_000,
  }, async () => {
    const database = await makeDatabase("one");
    {
      await using _first = await open(database);
      const others = [openDirect(database), openDirect(database, { isShared: true }), open(database)];
      for (const other of await Promise.allSettled(others))
        expect(other).toMatchObject({ reason: { code: "STORE_LOCKED" } });
    }
    {
      await using direct = await openDirect(database);
      await expect(open(database, { isShared: true })).rejects.toMatchObject({ code: "STORE_LOCKED" });
      await direct.check();
    }
    await using next = await open(database);
    await next.check();
  });

  it("is never written to by a hub whose database another one has taken", async () => {
    const database = await makeDatabase("taken");
    await using first = await open(database);
    await sql`create table kept (n integer primary key)`.execute(first.db);
    // As if the hub hadn't been able to renew its lease for long.
    await server.run("update hub_holder set held_until = now() - interval '1 second'", "taken");
    await using second = await openDirect(database);
    await expect(sql`insert into kept values (1)`.execute(first.db)).rejects.toMatchObject({ code: "STORE_LOCKED" });
    await expect(
      first.db.transaction().execute((trx) => sql`insert into kept values (2)`.execute(trx)),
    ).rejects.toMatchObject({ code: "STORE_LOCKED" });
    expect(await first.lost).toMatchObject({ code: "STORE_LOCKED" });
    expect((await sql`select n from kept`.execute(second.db)).rows).toEqual([]);
  });
});

async function makeDatabase(name: string): Promise<string> {
  await server.run(`create database ${name} owner hub`);
  return name;
}

function open(database: string, { isShared = false } = {}): Promise<Store> {
  return openStore({
    database: { source: { kind: "url", url: server.url({ database, port }) }, connections: 8, isShared },
  });
}

function openDirect(database: string, { isShared = false } = {}): Promise<Store> {
  return openStore({ database: { source: { kind: "url", url: server.url({ database }) }, connections: 8, isShared } });
}

async function makeDisposable(...opening: Promise<Store>[]): Promise<AsyncDisposable & { readonly all: Store[] }> {
  const all = await Promise.all(opening);
  return {
    all,
    async [Symbol.asyncDispose]() {
      for (const store of all) await store[Symbol.asyncDispose]();
    },
  };
}
