// Reads all of a store at one moment, while it is used.
import type { ClientConfig } from "pg";
import { storeErrors } from "../errors.ts";
import { type AppliedMigration, appliedQuery } from "../migrations.ts";
import { toStoreError } from "../to-store-error.ts";
import { listSequences, listTables } from "./catalog.ts";
import { connect } from "./connect.ts";
import { createTableDigest } from "./digest.ts";
import { readFiles } from "./files.ts";
import { plainFormats, readRows } from "./read-rows.ts";
import { type StoreRecord, storeFormat, storeFormatVersion, type TableSummary } from "./records.ts";

export interface StoreSource {
  readonly connection: ClientConfig;
  /** The hub's data folder, for what isn't in the database; undefined leaves that out. */
  readonly filesFolder: string | undefined;
}

export async function* readStore(
  source: StoreSource,
  { hubVersion }: { hubVersion: string },
): AsyncGenerator<StoreRecord> {
  const { connection, filesFolder } = source;
  await using client = await connect(connection);
  await client.query("begin isolation level repeatable read read only");
  await client.query(plainFormats);
  const migrations = (await readMigrations(client)).map(({ name }) => name);
  const createdAt = new Date().toISOString();
  yield { kind: "head", head: { format: storeFormat, version: storeFormatVersion, hubVersion, createdAt, migrations } };

  // The audit journal's lines are kept for two minutes after the store took them, so it is read before the tables are.
  let files = 0;
  for await (const record of filesFolder === undefined ? [] : readFiles(filesFolder)) {
    if (record.kind === "file") files += 1;
    yield record;
  }

  const tables: Record<string, TableSummary> = {};
  for (const table of await listTables(client)) {
    const digest = createTableDigest();
    yield { kind: "table", name: table.name, columns: table.columns.map(({ name }) => name) };
    for await (const lines of readRows(client, table)) {
      digest.add(lines);
      yield { kind: "rows", lines };
    }
    tables[table.name] = digest.summarize();
  }
  yield { kind: "sequences", sequences: await listSequences(client) };
  yield { kind: "end", summary: { files, tables } };
  await client.query("commit");
}

/** Throws STORE_ABSENT. */
export async function readMigrations(
  client: Awaited<ReturnType<typeof connect>>,
): Promise<readonly AppliedMigration[]> {
  try {
    return (await client.query<AppliedMigration>(appliedQuery)).rows;
  } catch (error) {
    throw (error as { readonly code?: unknown }).code === undefinedTable
      ? storeErrors.STORE_ABSENT({ place: "The database" })
      : toStoreError(error);
  }
}

const undefinedTable = "42P01";
