// The migrations that this hub knows: plain SQL files. Older hubs don't mind what a migration adds. A migration that
// takes something away begins with `-- contract 0025` and says by that number which hubs can do without it: those that
// know the migration 0025.
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
    names.map(async (name) => {
      const text = await readFile(new URL(name, migrationsFolder), "utf8");
      return { name, text, floor: readFloor(text) };
    }),
  );
}

/** The number of the newest one: what a hub says of itself. */
export function toSchemaVersion(known: readonly Pick<Migration, "name">[]): number {
  return Math.max(0, ...known.map(({ name }) => toNumber(name)));
}

/** Throws STORE_NEWER when hubs that know just these migrations can't use a store that has those. */
export function requireRunnable(known: readonly Pick<Migration, "name">[], applied: readonly AppliedMigration[]): void {
  const names = new Set(known.map(({ name }) => name));
  const unknown = applied.filter(({ name }) => !names.has(name));
  if (unknown.length === 0) return;
  const version = toSchemaVersion(known);
  const done = new Set(applied.map(({ name }) => name));
  const isOnTop = known.every(({ name }) => done.has(name));
  const found = unknown.find(({ name, floor }) => !isOnTop || toNumber(name) <= version || (floor ?? 0) > version);
  if (found !== undefined) throw storeErrors.STORE_NEWER({ found: found.name });
}

/** Works also where the table has no floors yet. */
export const appliedQuery = `select name, (to_jsonb(m) ->> 'floor')::integer as floor from migration m order by name collate "C"`;

function readFloor(text: string): number | undefined {
  const found = /^-- contract (\d{4})\n/.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

function toNumber(name: string): number {
  return Number.parseInt(name, 10) || 0;
}
