// Before something is taken away that older hubs need, none of them may be left, and none comes after it.
import { type Kysely, sql } from "kysely";
import { storeErrors } from "./errors.ts";
import type { Tables } from "./tables.ts";

/**
 * Throws STORE_HUBS_OLDER while a hub lives that is below the floor. None can join until the transaction ends, and one that
 * was taken for dead has to join anew: it finds the floor then.
 */
export async function evictOlderHubs(
  trx: Kysely<Tables>,
  { name, floor }: { readonly name: string; readonly floor: number },
): Promise<void> {
  await sql`lock table hub in share row exclusive mode`.execute(trx);
  const { rows } = await sql<OlderHub>`
    select id, address, version, heartbeat_at > clock_timestamp() - interval '6 seconds' as lives
    from hub where schema_version < ${floor} order by id
  `.execute(trx);
  const living = rows.filter(({ lives }) => lives);
  if (living.length > 0) throw storeErrors.STORE_HUBS_OLDER({ found: name, hubs: living.map(describe).join(", ") });
  await sql`delete from hub where id = any(${rows.map(({ id }) => id)}::text[])`.execute(trx);
}

/** Called in the transaction by which a hub joins, once its row is there. Throws STORE_NEWER for one below a floor. */
export async function refuseOlderHub(trx: Kysely<Tables>, schemaVersion: number): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select name from migration where floor > ${schemaVersion} order by name limit 1
  `.execute(trx);
  if (rows[0] !== undefined) throw storeErrors.STORE_NEWER({ found: rows[0].name });
}

interface OlderHub {
  readonly id: string;
  readonly address: string;
  readonly version: string;
  readonly lives: boolean;
}

function describe({ id, address, version }: OlderHub): string {
  return `${id} at ${address}, version ${version}`;
}
