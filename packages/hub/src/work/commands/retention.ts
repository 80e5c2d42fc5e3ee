// Commands that have ended are kept for a while, and so many of each cluster.
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Tables } from "../../platform/store/index.ts";

export interface RetentionLimits {
  readonly keptMs: number;
  /** The most ended commands of each cluster. */
  readonly commands: number;
  /** The most bytes of specs and results of each cluster. */
  readonly bytes: number;
}

/** In pieces, between which others write. */
export async function forgetOld(
  db: Kysely<Tables>,
  {
    limits = retentionLimits,
    signal,
  }: { readonly limits?: RetentionLimits | undefined; readonly signal?: AbortSignal },
): Promise<number> {
  const isOver = sql`finished_at < clock_timestamp() - ${limits.keptMs}::float8 * interval '1 millisecond'`;
  let forgotten = await forgetAll(db, sql`select id from command where ${isOver}`, signal);
  for (const cluster of await listSurplus(db, limits)) {
    const surplus = sql`
      select id from (
        select id, row_number() over newest_first as place,
          sum(spec_bytes + result_bytes + plan_bytes) over newest_first as total
        from command where cluster = ${cluster} and finished_at is not null
        window newest_first as (order by finished_at desc, number desc)
      ) as kept where place > ${limits.commands} or total > ${limits.bytes}
    `;
    forgotten += await forgetAll(db, surplus, signal);
  }
  return forgotten;
}

async function listSurplus(db: Kysely<Tables>, limits: RetentionLimits): Promise<string[]> {
  const { rows } = await sql<{ cluster: string }>`
    select cluster from command where finished_at is not null group by cluster
    having count(*) > ${limits.commands} or sum(spec_bytes + result_bytes + plan_bytes) > ${limits.bytes}
  `.execute(db);
  return rows.map(({ cluster }) => cluster);
}

async function forgetAll(db: Kysely<Tables>, ids: RawBuilder<unknown>, signal?: AbortSignal): Promise<number> {
  let forgotten = 0;
  for (;;) {
    const { rows } = await sql`
      with surplus as (${ids} limit ${roundSize})
      delete from command using surplus where command.id = surplus.id returning command.id
    `.execute(db);
    forgotten += rows.length;
    if (rows.length < roundSize || signal?.aborted) return forgotten;
  }
}

const roundSize = 500;
const retentionLimits: RetentionLimits = {
  keptMs: 30 * 24 * 3_600_000,
  commands: 10_000,
  bytes: 256 * 1024 * 1024,
};
