// Writes a store into a database that is empty, in one transaction: it is there as a whole, compared with what it was
// made from, or not at all.
import type { Client, ClientConfig } from "pg";
import { storeErrors } from "../errors.ts";
import { type Migration, migrationTable, requireKnown } from "../migrations.ts";
import { toStoreError } from "../to-store-error.ts";
import { listTables, quote, type TableShape, toInsert } from "./catalog.ts";
import { connect } from "./connect.ts";
import { createTableDigest } from "./digest.ts";
import { createFileWriter } from "./files.ts";
import { pieceSize, plainFormats, readRows } from "./read-rows.ts";
import type { StoreRecord, StoreSummary } from "./records.ts";

export async function writeStore(options: {
  readonly connection: ClientConfig;
  /** Undefined: files among the records are left out. */
  readonly filesFolder: string | undefined;
  readonly records: AsyncIterable<StoreRecord>;
  /** All that the hub knows which is going to use the store. */
  readonly migrations: readonly Migration[];
  /** In the same transaction, once all is there and the tables are of this version. */
  readonly settle?: (client: Client) => Promise<void>;
}): Promise<StoreSummary> {
  const { connection, filesFolder, records, migrations, settle } = options;
  await using client = await connect(connection);
  await using files = filesFolder === undefined ? undefined : createFileWriter(filesFolder);
  try {
    await client.query("begin");
    await client.query(plainFormats);
    await mustBeEmpty(client);
    let tables: readonly TableShape[] = [];
    let current: TableShape | undefined;
    let summary: StoreSummary | undefined;
    for await (const record of records) {
      switch (record.kind) {
        case "head":
          await makeTables(client, migrations, record.head.migrations);
          tables = await listTables(client);
          await clear(client, tables);
          break;
        case "file":
          await files?.begin(record.path);
          break;
        case "bytes":
          await files?.write(record.bytes);
          break;
        case "table":
          current = select(tables, record);
          break;
        case "rows":
          if (current === undefined)
            throw storeErrors.STORE_BACKUP_DAMAGED({ reason: "it has rows that belong to no table" });
          await insert(client, current, record.lines);
          break;
        case "sequences":
          for (const { name, value } of record.sequences) {
            await client.query("select setval($1::regclass, $2::bigint)", [quote(name), value]);
          }
          break;
        case "end":
          summary = record.summary;
      }
    }
    await files?.finish();
    if (summary === undefined) throw storeErrors.STORE_BACKUP_DAMAGED({ reason: "its end is missing" });
    await compare(client, tables, summary);
    // A row may refer to one of its own table that comes after it.
    await client.query("set constraints all immediate");
    for (const { name } of tables) await client.query(`alter table ${quote(name)} enable trigger user`);
    await applyMigrations(client, migrations);
    await settle?.(client);
    await client.query("commit");
    await client.query("analyze");
    return summary;
  } catch (error) {
    if (isOfData(error))
      throw storeErrors.STORE_BACKUP_DAMAGED({ reason: "its rows don't fit its tables", cause: error });
    throw toStoreError(error);
  }
}

/** SQLSTATE classes 22 and 23: a value that can't be read, or breaks a constraint. */
function isOfData(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return typeof code === "string" && /^2[23]/.test(code);
}

async function mustBeEmpty(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = current_schema()::regnamespace limit 1",
  );
  if (rows[0] !== undefined) throw storeErrors.STORE_NOT_EMPTY({ place: "The database", found: rows[0].name });
}

/** The tables become those of the hub whose store this was. */
async function makeTables(client: Client, known: readonly Migration[], names: readonly string[]): Promise<void> {
  requireKnown(known, names);
  await client.query(migrationTable);
  await applyMigrations(
    client,
    known.filter(({ name }) => names.includes(name)),
  );
}

async function applyMigrations(client: Client, migrations: readonly Migration[]): Promise<void> {
  const { rows } = await client.query<{ name: string }>("select name from migration");
  const done = new Set(rows.map(({ name }) => name));
  for (const { name, text, floor } of migrations.filter((each) => !done.has(each.name))) {
    await client.query(text);
    await client.query("insert into migration (name, applied_at, floor) values ($1, now(), $2)", [name, floor]);
  }
}

/** Migrations put rows into some tables, and triggers would count what is copied as counts, too. */
async function clear(client: Client, tables: readonly TableShape[]): Promise<void> {
  await client.query(`truncate ${tables.map(({ name }) => quote(name)).join(", ")}`);
  for (const { name } of tables) await client.query(`alter table ${quote(name)} disable trigger user`);
}

function select(
  tables: readonly TableShape[],
  { name, columns }: { readonly name: string; readonly columns: readonly string[] },
): TableShape {
  const table = tables.find((each) => each.name === name);
  const isSame = table?.columns.every((column, index) => column.name === columns[index]);
  if (table === undefined || !isSame || table.columns.length !== columns.length) {
    throw storeErrors.STORE_BACKUP_DAMAGED({ reason: `its table ${JSON.stringify(name)} isn't one of its version` });
  }
  return table;
}

async function insert(client: Client, table: TableShape, lines: readonly string[]): Promise<void> {
  const statement = toInsert(table);
  let piece: string[] = [];
  let size = 0;
  for (const line of lines) {
    piece.push(line);
    size += line.length;
    if (size < pieceSize) continue;
    await client.query(statement, [`[${piece.join(",")}]`]);
    piece = [];
    size = 0;
  }
  if (piece.length > 0) await client.query(statement, [`[${piece.join(",")}]`]);
}

/** Reads all again and counts it. */
async function compare(client: Client, tables: readonly TableShape[], { tables: wanted }: StoreSummary): Promise<void> {
  for (const table of tables) {
    const digest = createTableDigest();
    for await (const lines of readRows(client, table)) digest.add(lines);
    const { rows, digest: sum } = digest.summarize();
    const { rows: wantedRows, digest: wantedSum } = wanted[table.name] ?? { rows: 0, digest: sum };
    if (rows !== wantedRows || sum !== wantedSum)
      throw storeErrors.STORE_NOT_COPIED({ table: table.name, rows, wantedRows });
  }
}
