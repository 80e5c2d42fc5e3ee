// Rollouts that have ended are kept for a while, and so many of each person.
import { type Kysely, sql } from "kysely";
import type { Tables } from "../../../platform/store/index.ts";

export interface RolloutRetention {
  readonly keptMs: number;
  /** The most ended rollouts of each person. */
  readonly rollouts: number;
  readonly bytes: number;
  readonly clusters: number;
}

export async function forgetRollouts(db: Kysely<Tables>, limits: RolloutRetention = retention): Promise<number> {
  const { rows } = await sql`
    delete from rollout where id in (
      select id from (
        select id, finished_at, row_number() over newest_first as place, sum(request_bytes) over newest_first as bytes,
          sum(clusters) over newest_first as clusters
        from rollout where finished_at is not null
        window newest_first as (partition by requester_uid, requester order by number desc)
      ) as kept
      where finished_at < clock_timestamp() - ${limits.keptMs}::float8 * interval '1 millisecond'
        or place > ${limits.rollouts} or (place > 1 and (bytes > ${limits.bytes} or clusters > ${limits.clusters}))
    ) returning id
  `.execute(db);
  return rows.length;
}

const retention: RolloutRetention = {
  keptMs: 30 * 24 * 3_600_000,
  rollouts: 200,
  bytes: 64 * 1024 * 1024,
  clusters: 100_000,
};
