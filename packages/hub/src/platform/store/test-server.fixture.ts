// Vitest's globalSetup starts one PostgreSQL for a run, with a template that has all migrations. Each test file that wants
// a store gets a database of its own from it. Hubs that tests start as programs get a copy of the whole folder, which takes
// a tenth of what it takes to make one.
import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copyDatabase, databaseVariable } from "@fairlead/testkit";
import { Client, type ClientConfig } from "pg";
import type { TestProject } from "vitest/node";
import { openConnections } from "./connections.ts";
import { openServer } from "./folder/open-server.ts";
import { watchOver } from "./folder/watch-over.ts";
import { migrate } from "./migrate.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The way to this run's server, as its superuser. */
    readonly postgres: ClientConfig;
  }
}

const running = new AsyncDisposableStack();

export async function setup(project: TestProject): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), "fairlead-tests-"));
  running.defer(() => rm(dataDir, { recursive: true, force: true }));
  running.use(watchOver(dataDir));
  // Another project of the run may have made it.
  process.env[databaseVariable] ??= await makeDatabase(dataDir);
  await copyDatabase(dataDir);
  // Hubs of many test files are on it at once.
  const server = await openServer({ dataDir }, { isDurable: false, maxConnections: 300 });
  running.defer(() => server.stop());
  const admin = { ...server.connection, database: "postgres" };
  await using client = await connect(admin);
  await client.query(`alter database ${server.connection.database} with is_template true allow_connections false`);
  project.provide("postgres", server.connection);
}

/** Resolves to a folder that nobody uses, with all migrations. */
async function makeDatabase(dataDir: string): Promise<string> {
  const server = await openServer({ dataDir }, { isDurable: false });
  const connections = openConnections({ connection: server.connection, shares: { own: 1, asked: 1 } });
  await migrate(connections.own);
  await connections.close();
  await server.stop();
  const made = join(dataDir, "made");
  await rename(join(dataDir, "postgres"), made);
  await rm(join(made, "socket"), { recursive: true, force: true });
  return made;
}

export async function teardown(): Promise<void> {
  await running.disposeAsync();
}

async function connect(config: ClientConfig): Promise<Client & AsyncDisposable> {
  const client = new Client(config);
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}
