// Plain SQL files, applied in the order of their names, each once and in one transaction with its record.
import { readdir, readFile } from "node:fs/promises";
import { type Kysely, sql } from "kysely";
import { storeErrors } from "./errors.ts";
import type { Tables } from "./tables.ts";

export const migrationsFolder: URL = new URL("migrations/", import.meta.url);

/** `through` is the last file to apply, for a store as an older hub left it. */
export async function migrate(db: Kysely<Tables>, { through }: { readonly through?: string } = {}): Promise<void> {
  const known = (await readdir(migrationsFolder)).filter((name) => name.endsWith(".sql")).sort();
  const done = await inTurn(db, async (trx) => {
    await sql`create table if not exists migration (name text collate "C" primary key, applied_at timestamptz not null)`.execute(
      trx,
    );
    const { rows } = await sql<{ name: string }>`select name from migration order by name`.execute(trx);
    return new Set(rows.map(({ name }) => name));
  });
  const unknown = [...done].find((name) => !known.includes(name));
  if (unknown !== undefined) throw storeErrors.STORE_NEWER({ found: unknown });

  const wanted = known.filter((name) => through === undefined || name <= through);
  for (const name of wanted.filter((each) => !done.has(each))) await apply(db, name);
}

async function apply(db: Kysely<Tables>, name: string): Promise<void> {
  const statements = splitStatements(await readFile(new URL(name, migrationsFolder), "utf8"));
  await inTurn(db, async (trx) => {
    const { rows } = await sql`select from migration where name = ${name}`.execute(trx);
    if (rows.length > 0) return;
    for (const statement of statements) await sql.raw(statement).execute(trx);
    await sql`insert into migration (name, applied_at) values (${name}, now())`.execute(trx);
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
