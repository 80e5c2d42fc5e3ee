// Plain SQL files, applied in the order of their names, each once and in one transaction with its record.
import { type Kysely, sql } from "kysely";
import {
  type AppliedMigration,
  appliedQuery,
  loadMigrations,
  type Migration,
  requireRunnable,
  toSchemaVersion,
} from "./migrations.ts";
import { evictOlderHubs } from "./older-hubs.ts";
import type { Tables } from "./tables.ts";

/**
 * Resolves to the number of the newest migration that this hub knows. Throws STORE_NEWER for a store that is too new for
 * this hub, and STORE_HUBS_OLDER while others are there that are too old for what it would do.
 */
export async function migrate(
  db: Kysely<Tables>,
  options: {
    /** All that this hub knows, unless others are given. */
    readonly migrations?: readonly Migration[];
    /** The last file to apply, for a store as an older hub left it. */
    readonly through?: string;
  } = {},
): Promise<number> {
  const { migrations = await loadMigrations(), through } = options;
  const applied = await inTurn(db, async (trx) => {
    await sql`create table if not exists migration (name text collate "C" primary key, applied_at timestamptz not null)`.execute(
      trx,
    );
    return (await sql.raw<AppliedMigration>(appliedQuery).execute(trx)).rows;
  });
  requireRunnable(migrations, applied);
  const done = new Set(applied.map(({ name }) => name));
  const wanted = migrations.filter(({ name }) => through === undefined || name <= through);
  for (const migration of wanted) if (!done.has(migration.name)) await apply(db, migration);
  return toSchemaVersion(migrations);
}

async function apply(db: Kysely<Tables>, { name, floor, text }: Migration): Promise<void> {
  await inTurn(db, async (trx) => {
    const { rows } = await sql`select from migration where name = ${name}`.execute(trx);
    if (rows.length > 0) return;
    if (floor !== undefined) await evictOlderHubs(trx, { name, floor });
    for (const statement of splitStatements(text)) await sql.raw(statement).execute(trx);
    await sql`insert into migration (name, applied_at) values (${name}, now())`.execute(trx);
    if (floor !== undefined) await sql`update migration set floor = ${floor} where name = ${name}`.execute(trx);
  });
}

/** Two at once, as from a hub and a tool beside it: the second finds all done. */
async function inTurn<T>(db: Kysely<Tables>, work: (trx: Kysely<Tables>) => Promise<T>): Promise<T> {
  return await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${lockKey}::bigint)`.execute(trx);
    return await work(trx);
  });
}

/** Drivers take one statement per prepared query. A statement ends with `;` at the end of a line. */
function splitStatements(text: string): string[] {
  return text
    .replace(/^--.*$/gm, "")
    .split(/;[ \t]*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
}

/** "migrate" in ASCII. */
const lockKey = "30796665482998885";
