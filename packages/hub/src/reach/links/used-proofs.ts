// Challenges that an agent has answered, at whichever hub: each is taken once. They are forgotten when no hub takes them
// any more, and a cluster has room for so many until then.
import { type Kysely, sql } from "kysely";
import type { Tables } from "../../platform/store/index.ts";

export type TakenProof = "taken" | "taken before" | "too many";

export async function takeProof(
  db: Kysely<Tables>,
  proof: { readonly nonce: string; readonly cluster: string; readonly endsAt: Date; readonly now: Date },
): Promise<TakenProof> {
  const { nonce, cluster, endsAt, now } = proof;
  const { rows } = await sql<{ is_taken: boolean; is_crowded: boolean }>`
    with old as (
      delete from link_proof where nonce in (
        select nonce from link_proof where ends_at < ${now} order by ends_at limit 64 for update skip locked
      )
    ), room as materialized (
      select count(*) < ${mostOfCluster} as is_there from link_proof where cluster = ${cluster} and ends_at >= ${now}
    ), mine as (
      insert into link_proof (nonce, cluster, ends_at)
      select ${nonce}::text, ${cluster}::text, ${endsAt}::timestamptz from room where is_there
      on conflict do nothing returning nonce
    )
    select exists (select from mine) as is_taken,
      not is_there and not exists (select from link_proof where nonce = ${nonce}) as is_crowded
    from room
  `.execute(db);
  const [outcome] = rows;
  if (outcome?.is_taken) return "taken";
  return outcome?.is_crowded ? "too many" : "taken before";
}

/** More links than a cluster may begin in the time for which they are kept. */
const mostOfCluster = 1_024;
