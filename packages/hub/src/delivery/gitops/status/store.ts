import type { GitopsFlowStatus, HeldDeletion } from "@fairlead/contract";
import { type Kysely, sql } from "kysely";
import type { Changes } from "../../../platform/changes/index.ts";
import type { Tables } from "../../../platform/store/index.ts";
import { gitopsErrors } from "../errors.ts";
import { guardTopic } from "../sync/index.ts";
import type { OwnershipFence } from "../types.ts";

export interface GitopsStatusStore {
  /** Nothing is written once another hub owns the sync. */
  write(told: ToldStatus): Promise<void>;
  /** The rows of these clusters, by name; some may have none. */
  list(clusters: readonly string[]): Promise<ReadonlyMap<string, StatusRow>>;
  /** Throws GITOPS_DELETIONS_NONE, GITOPS_DELETIONS_CHANGED. */
  confirm(confirmation: Confirmation): Promise<void>;
}

interface ToldStatus {
  readonly fence: OwnershipFence;
  readonly hub: string;
  readonly since: Date;
  readonly at: Date;
  /** JSON. */
  readonly flows: string;
}

export interface StatusRow {
  readonly cluster: string;
  readonly hub: string | null;
  /** Whether that hub serves the cluster now. */
  readonly is_served: boolean;
  readonly since: Date | null;
  readonly told_at: Date | null;
  readonly flows: readonly GitopsFlowStatus[] | null;
  readonly held_count: number | null;
  readonly digest: string | null;
  readonly held_since: Date | null;
  /** The first of them. */
  readonly held: readonly HeldDeletion[] | null;
}

interface Confirmation {
  readonly cluster: string;
  readonly count: number;
  readonly digest: string;
  readonly by: string;
  readonly at: Date;
}

export function createGitopsStatusStore(options: {
  readonly db: Kysely<Tables>;
  readonly changes: Pick<Changes, "commit">;
}): GitopsStatusStore {
  const { db, changes } = options;
  return {
    async write({ fence: { cluster, term }, hub, since, at, flows }) {
      await sql`
        insert into gitops_status (cluster, owner_term, hub, since, told_at, flows)
        select cluster.name, lease.fence, ${hub}, ${since}, ${at}, ${flows}::jsonb from cluster, lease
        where cluster.name = ${cluster} and lease.name = ${`gitops/${cluster}`} and lease.fence = ${String(term)}::bigint
        for share
        on conflict (cluster) do update set
          owner_term = excluded.owner_term,
          hub = excluded.hub,
          since = excluded.since,
          told_at = excluded.told_at,
          flows = excluded.flows
      `.execute(db);
    },

    async list(clusters) {
      const { rows } = await sql<StatusRow>`
        select cluster.name as cluster, status.hub, status.since, status.told_at, status.flows,
          lease.name is not null as is_served,
          jsonb_array_length(guard.held) as held_count, guard.digest, guard.held_since,
          jsonb_path_query_array(guard.held, ${firstHeld}::jsonpath) as held
        from cluster
        left join gitops_status as status on status.cluster = cluster.name
        left join gitops_guard as guard on guard.cluster = cluster.name
        left join lease on lease.name = 'gitops/' || cluster.name and lease.fence = status.owner_term
          and lease.expires_at > clock_timestamp()
        where cluster.name = any(${clusters}::text[])
      `.execute(db);
      return new Map(rows.map((row) => [row.cluster, row]));
    },

    async confirm({ cluster, count, digest, by, at }) {
      await changes.commit(guardTopic, async (trx) => {
        const { rows } = await sql<{ digest: string; count: number }>`
          select digest, jsonb_array_length(held) as count from gitops_guard where cluster = ${cluster} for update
        `.execute(trx);
        const [held] = rows;
        if (held === undefined || held.count === 0) throw gitopsErrors.GITOPS_DELETIONS_NONE({ cluster });
        if (held.digest !== digest || held.count !== count)
          throw gitopsErrors.GITOPS_DELETIONS_CHANGED({ cluster, count: held.count });
        await sql`
          update gitops_guard set
            confirmed = confirmed || jsonb_path_query_array(held, '$[*].uid'),
            confirmed_at = ${at},
            confirmed_by = ${by},
            held = '[]',
            digest = '',
            held_since = null
          where cluster = ${cluster}
        `.execute(trx);
      });
    },
  };
}

const firstHeld = "$[0 to 99]";
