import { type Kysely, sql } from "kysely";
import type { DeclaredCluster, DeclaredTask } from "../../platform/declarations/index.ts";
import type { Tables } from "../../platform/store/index.ts";
import type { ClusterChanges, ClusterRow } from "./types.ts";

/**
 * Makes clusters what is declared, all in one step, and writes down which are; those that were until now are withdrawn.
 * Returns the rows that changed.
 */
export async function putDeclared(options: {
  readonly db: Kysely<Tables>;
  readonly changes: ClusterChanges | undefined;
  readonly clusters: readonly DeclaredCluster[];
  readonly guard: DeclaredTask["guard"];
  readonly at: Date;
}): Promise<ClusterRow[]> {
  const { db, changes, clusters, guard, at } = options;
  const text = JSON.stringify(
    clusters.map(({ name, labels, displayName, protected: isProtected, roles, identityEpoch: epoch, file }) => {
      return { name, labels, display_name: displayName ?? null, protected: isProtected, roles, epoch, file };
    }),
  );
  const wanted = sql`jsonb_to_recordset(${text}::jsonb) as wanted (name text, labels jsonb, display_name text, protected boolean, roles jsonb, epoch integer, file text)`;
  const commit: ClusterChanges["commit"] = changes?.commit ?? ((_topics, work) => db.transaction().execute(work));
  return await commit(["clusters", "declarations"], async (trx) => {
    await guard(trx);
    // In one order, as revocations lock them, too.
    await sql`
      select cluster.name from cluster join ${wanted} on wanted.name = cluster.name order by cluster.name
      for no key update of cluster
    `.execute(trx);
    await sql`
      insert into cluster_revocation (cluster, epoch, revoked_at)
      select cluster.name, cluster.epoch, ${at}::timestamptz from cluster join ${wanted} on wanted.name = cluster.name
      where wanted.epoch > cluster.epoch on conflict do nothing
    `.execute(trx);
    const { rows } = await sql<ClusterRow>`
      insert into cluster (name, labels, display_name, protected, roles, epoch, created_at)
      select name, labels, display_name, protected, array(select jsonb_array_elements_text(roles)), epoch, ${at}::timestamptz
      from ${wanted}
      on conflict (name) do update set
        labels = excluded.labels, display_name = excluded.display_name, protected = excluded.protected,
        roles = excluded.roles, epoch = greatest(cluster.epoch, excluded.epoch),
        revoked_at = case when excluded.epoch > cluster.epoch then ${at}::timestamptz else cluster.revoked_at end,
        revoked_reason = case when excluded.epoch > cluster.epoch then ${revokedReason} else cluster.revoked_reason end,
        version = cluster.version + 1
      where cluster.labels <> excluded.labels or cluster.roles <> excluded.roles or cluster.epoch < excluded.epoch
        or cluster.protected <> excluded.protected or cluster.display_name is distinct from excluded.display_name
      returning *
    `.execute(trx);
    await sql`
      insert into declaration (kind, name, file) select 'Cluster', name, file from ${wanted}
      on conflict (kind, name) do update set file = excluded.file, withdrawn_at = null
      where declaration.file <> excluded.file or declaration.withdrawn_at is not null
    `.execute(trx);
    await sql`
      update declaration set withdrawn_at = ${at}::timestamptz where kind = 'Cluster' and withdrawn_at is null
      and not exists (select from ${wanted} where wanted.name = declaration.name)
    `.execute(trx);
    // Somebody has removed it for good.
    await sql`
      delete from declaration where kind = 'Cluster' and withdrawn_at is not null
      and not exists (select from cluster where cluster.name = declaration.name)
    `.execute(trx);
    return rows;
  });
}

const revokedReason = "its declared identityEpoch was raised";
