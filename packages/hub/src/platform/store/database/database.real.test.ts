// The hub's data in a PostgreSQL that somebody else runs.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../store.ts";
import type { Store } from "../types.ts";
import { startTcpServer, type TcpServer } from "./tcp-server.fixture.ts";

let server: TcpServer;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-database-"));
  server = await startTcpServer();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

describe("a store in a database of somebody else", () => {
  it.each([15, 18] as const)("keeps everything there with PostgreSQL %i", async (major) => {
    await using own = await startTcpServer({ major });
    const url = own.url();
    {
      await using store = await open(url);
      await sql`insert into cluster (name, labels, roles, created_at) values ('east', '{}', '{proxy}', now())`.execute(
        store.db,
      );
      await store.check();
    }
    await using store = await open(url);
    expect(await store.queries.selectFrom("cluster").select("name").execute()).toEqual([{ name: "east" }]);
  });

  it("is for one hub at a time, and for the next one when the first has ended", async () => {
    await server.run("create database one owner hub");
    const url = server.url({ database: "one" });
    {
      await using _first = await open(url);
      await expect(open(url)).rejects.toMatchObject({
        code: "STORE_LOCKED",
        message: expect.stringContaining(`process ${process.pid}`),
      });
    }
    await using second = await open(url);
    await second.check();
  });
});

function open(url: string): Promise<Store> {
  return openStore({ database: { source: { kind: "url", url }, connections: 10 } });
}
