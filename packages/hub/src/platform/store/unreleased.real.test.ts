// Stores from before the first release, which made the same tables by other migrations.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endDatabase } from "@fairlead/testkit";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTcpServer, type TcpServer } from "./database/tcp-server.fixture.ts";
import { openMemoryStore } from "./memory-store.fixture.ts";
import { migrate } from "./migrate.ts";
import { openStore } from "./store.ts";
import { useStore } from "./transfer/index.ts";
import type { StoreOptions } from "./types.ts";

let folder: string;
let server: TcpServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-unreleased-"));
  server = await startTcpServer();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const refusal = {
  code: "STORE_SCHEMA_UNRELEASED",
  message: "The hub's data is from a development version before 0.1, which no release can convert.",
  hint: expect.stringMatching(/^Start with an empty data folder or database\. .*pki.* resend their objects\.$/),
};

it("a data folder of a development version is refused at the start, and stays as it is", async () => {
  const dataDir = join(folder, "data");
  await makeUnreleased({ dataDir });
  await expect(openStore({ dataDir })).rejects.toMatchObject(refusal);
  await expect(useStore({ kind: "folder", dataDir }, {}, async () => {})).rejects.toMatchObject(refusal);
  await expect(openStore({ dataDir })).rejects.toMatchObject(refusal);
  await endDatabase(dataDir);
});

it("so is a database", async () => {
  await makeUnreleased(toDatabase(server.url()));
  await expect(openStore(toDatabase(server.url()))).rejects.toMatchObject(refusal);
});

it("so is a database of before hubs had leases", async () => {
  await server.run("create database oldest owner hub");
  const url = server.url({ database: "oldest" });
  await server.run(
    "create table hub_holder (id integer primary key, holder text, owner text); alter table hub_holder owner to hub",
    "oldest",
  );
  await expect(openStore(toDatabase(url))).rejects.toMatchObject(refusal);
});

it("so are tables of before migrations had floors", async () => {
  await using store = await openMemoryStore();
  await sql.raw(`${toUnreleased}; alter table migration drop column floor`).execute(store.db);
  await expect(migrate(store.db)).rejects.toMatchObject(refusal);
});

async function makeUnreleased(options: StoreOptions): Promise<void> {
  await using store = await openStore(options);
  await sql.raw(toUnreleased).execute(store.db);
}

function toDatabase(url: string): StoreOptions {
  return { database: { source: { kind: "url", url }, connections: 4 } };
}

/** What development versions wrote down of their first migrations. */
const toUnreleased = `delete from migration; insert into migration (name, applied_at)
  values ('0001-identity.sql', now()), ('0002-access.sql', now()), ('0003-audit.sql', now())`;
