// A store of a test's own, with all tables or with none, within some 50 ms: a database made from the template of the run's server, and dropped after.
import { Client, type ClientConfig } from "pg";
import { inject } from "vitest";
import { openConnections } from "./connections.ts";
import { loadMigrations, toSchemaVersion } from "./migrations.ts";
import { toStore } from "./to-store.ts";
import type { Store } from "./types.ts";

export async function openMemoryStore(options: { readonly isEmpty?: boolean } = {}): Promise<Store> {
  const { isEmpty = false } = options;
  const server = inject("postgres");
  const database = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  const template = isEmpty ? "template1" : server.database;
  // By default the server writes each page to its log as well, which takes it twice the time.
  await administrate(server, `create database ${database} template ${template} strategy file_copy`);
  const connections = openConnections({ connection: { ...server, database }, shares: { own: 4, asked: 3 } });
  return toStore(connections, {
    schemaVersion: toSchemaVersion(await loadMigrations()),
    async [Symbol.asyncDispose]() {
      await connections.close();
      await administrate(server, `drop database ${database} with (force)`);
    },
  });
}

async function administrate(server: ClientConfig, statement: string): Promise<void> {
  const client = new Client({ ...server, database: "postgres" });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
