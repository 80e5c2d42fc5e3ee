// Tells one history of a database from another. A standby that takes over may lack the newest changes, and so does what
// was restored from a backup: revisions that somebody has seen are given to other changes then.
import { type Kysely, type RawBuilder, sql } from "kysely";
import { isStoreFailure, type Tables } from "../store/index.ts";

/** An expression for the mark of the history that a statement is answered from. */
export async function chooseHistory(db: Kysely<Tables>): Promise<RawBuilder<string>> {
  try {
    await sql`select ${fullMark}`.execute(db);
    return fullMark;
  } catch (error) {
    // Some providers' servers don't show their log: there a history is another one when revisions go back.
    if (isStoreFailure(error) || !hidden.has(String((error as { readonly code?: unknown }).code))) throw error;
    return plainMark;
  }
}

/** A table that is made again, as by a restore, has another number. */
const plainMark = sql<string>`concat_ws('-', (
  select oid from pg_database where datname = current_database()
), 'inventory_object'::regclass::oid)`;

/** The file's name begins with the timeline, which is another one from the moment on at which a standby takes over. */
const fullMark = sql<string>`concat_ws('-', ${plainMark}, (
  select system_identifier from pg_control_system()
), left(pg_walfile_name(pg_current_wal_lsn()), 8))`;

/** SQLSTATEs of what may not be asked, isn't there, or isn't supported. */
const hidden: ReadonlySet<string> = new Set(["42501", "42883", "0A000"]);
