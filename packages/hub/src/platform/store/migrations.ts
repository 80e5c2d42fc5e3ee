// The migrations that this hub knows: plain SQL files. Older hubs don't mind what a migration adds. A migration that
// takes something away begins with `-- contract 0002`: the number says that hubs which know the migration 0002 can do
// without it.
import { readdir, readFile } from "node:fs/promises";
import { storeErrors } from "./errors.ts";

export interface Migration {
  readonly name: string;
  readonly text: string;
  /** The number of the oldest migration whose hubs can still run after this one; undefined: no hub minds it. */
  readonly floor: number | undefined;
}

/** As the database has it written down. */
export interface AppliedMigration {
  readonly name: string;
  readonly floor: number | null;
}

const migrationsFolder = new URL("migrations/", import.meta.url);

/** In the order of their names. */
export async function loadMigrations(): Promise<readonly Migration[]> {
  const names = (await readdir(migrationsFolder)).filter((name) => name.endsWith(".sql")).sort();
  return await Promise.all(
    names.map(async (name) => toMigration(name, await readFile(new URL(name, migrationsFolder), "utf8"))),
  );
}

export function toMigration(name: string, text: string): Migration {
  const floor = /^-- contract (\d{4})\n/.exec(text)?.[1];
  return { name, text, floor: floor === undefined ? undefined : Number(floor) };
}

/** The number of the newest one: what a hub says of itself. */
export function toSchemaVersion(known: readonly Pick<Migration, "name">[]): number {
  return Math.max(0, ...known.map(({ name }) => toNumber(name)));
}

/**
 * Throws STORE_NEWER when hubs that know just these migrations can't use a store that has those, and
 * STORE_SCHEMA_UNRELEASED when no released hub can.
 */
export function requireRunnable(known: readonly Pick<Migration, "name">[], applied: readonly AppliedMigration[]): void {
  requireReleased(applied.map(({ name }) => name));
  const names = new Set(known.map(({ name }) => name));
  const unknown = applied.filter(({ name }) => !names.has(name));
  if (unknown.length === 0) return;
  const version = toSchemaVersion(known);
  const done = new Set(applied.map(({ name }) => name));
  const isOnTop = known.every(({ name }) => done.has(name));
  const found = unknown.find(({ name, floor }) => !isOnTop || toNumber(name) <= version || (floor ?? 0) > version);
  if (found !== undefined) throw storeErrors.STORE_NEWER({ found: found.name });
}

/** Throws STORE_NEWER or STORE_SCHEMA_UNRELEASED when one of the names isn't that of a known migration. */
export function requireKnown(known: readonly Pick<Migration, "name">[], names: readonly string[]): void {
  requireReleased(names);
  const unknown = names.find((name) => !known.some((migration) => migration.name === name));
  if (unknown !== undefined) throw storeErrors.STORE_NEWER({ found: unknown });
}

/** A migration leaves its row's floor empty unless it takes something away. */
export const migrationTable = `create table if not exists migration (
  name text collate "C" primary key, applied_at timestamptz not null, floor integer
)`;

/** Also reads tables without floors, which the oldest development versions left. */
export const appliedQuery = `select name, (to_jsonb(m) ->> 'floor')::integer as floor from migration m order by name collate "C"`;

/** Development versions before 0.1 made the same tables in many steps, of which this was the first. */
function requireReleased(names: readonly string[]): void {
  if (names.includes("0001-identity.sql")) throw storeErrors.STORE_SCHEMA_UNRELEASED();
}

function toNumber(name: string): number {
  return Number.parseInt(name, 10) || 0;
}
