// Plain SQL files, applied in the order of their names, each once and in one transaction with its record.
import { type Kysely, sql } from "kysely";
import {
  type AppliedMigration,
  appliedQuery,
  loadMigrations,
  type Migration,
  migrationTable,
  requireRunnable,
  toSchemaVersion,
} from "./migrations.ts";
import { evictOlderHubs } from "./older-hubs.ts";
import type { Tables } from "./tables.ts";

/**
 * Resolves to the number of the newest migration that this hub knows. Throws STORE_NEWER for a store that is too new for
 * this hub, STORE_SCHEMA_UNRELEASED for one from before the first release, and STORE_HUBS_OLDER while other hubs run that
 * are too old for what it would do.
 */
export async function migrate(
  db: Kysely<Tables>,
  options: {
    /** All that this hub knows, unless others are given. */
    readonly migrations?: readonly Migration[];
  } = {},
): Promise<number> {
  const { migrations = await loadMigrations() } = options;
  const applied = await inTurn(db, async (trx) => {
    await sql.raw(migrationTable).execute(trx);
    return (await sql.raw<AppliedMigration>(appliedQuery).execute(trx)).rows;
  });
  requireRunnable(migrations, applied);
  const done = new Set(applied.map(({ name }) => name));
  for (const migration of migrations) if (!done.has(migration.name)) await apply(db, migration);
  return toSchemaVersion(migrations);
}

async function apply(db: Kysely<Tables>, { name, floor, text }: Migration): Promise<void> {
  await inTurn(db, async (trx) => {
    const { rows } = await sql`select from migration where name = ${name}`.execute(trx);
    if (rows.length > 0) return;
    if (floor !== undefined) await evictOlderHubs(trx, { name, floor });
    await sql.raw(text).execute(trx);
    await sql`insert into migration (name, applied_at, floor) values (${name}, now(), ${floor})`.execute(trx);
  });
}

/** Two at once, as from a hub and a tool beside it: the second finds all done. */
async function inTurn<T>(db: Kysely<Tables>, work: (trx: Kysely<Tables>) => Promise<T>): Promise<T> {
  return await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${lockKey}::bigint)`.execute(trx);
    return await work(trx);
  });
}

/** "migrate" in ASCII. */
const lockKey = "30796665482998885";
