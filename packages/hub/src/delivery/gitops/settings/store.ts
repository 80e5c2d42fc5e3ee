import { type Kysely, sql } from "kysely";
import type { GitopsSettingsTable, Tables } from "../../../platform/store/index.ts";
import type { ClusterSettings } from "./merge.ts";

export interface GitopsSettingsStore {
  /** Undefined: nobody has set any. */
  find(cluster: string): Promise<GitopsSettingsTable | undefined>;
  list(): Promise<GitopsSettingsTable[]>;
  /** Undefined: there is no such cluster, or somebody else set some since that generation. */
  put(wanted: WantedSettings): Promise<GitopsSettingsTable | undefined>;
}

interface WantedSettings extends ClusterSettings {
  readonly cluster: string;
  /** By which it was decided; 0: there were none. */
  readonly generation: number;
  readonly by: string;
  readonly at: Date;
}

export function createGitopsSettingsStore(db: Kysely<Tables>): GitopsSettingsStore {
  return {
    find: (cluster) => db.selectFrom("gitops_settings").selectAll().where("cluster", "=", cluster).executeTakeFirst(),

    list: () => db.selectFrom("gitops_settings").selectAll().orderBy("cluster").execute(),

    async put({ cluster, mode, mapping, rules, generation, by, at }) {
      const { onUidMismatch, adoption, onRecreate, createNamespaces, guardPercent, guardMin } = rules;
      // From the cluster's own row: it may be removed at this moment.
      const { rows } = await sql<GitopsSettingsTable>`
        insert into gitops_settings (cluster, mode, mapping, on_uid_mismatch, adoption, on_recreate, create_namespaces,
          guard_percent, guard_min, generation, updated_at, updated_by)
        select name, ${mode}, ${mapping}, ${onUidMismatch}, ${adoption}, ${onRecreate}, ${createNamespaces}::boolean,
          ${guardPercent}::integer, ${guardMin}::integer, 1, ${at}, ${by}
        from cluster where name = ${cluster} for key share
        on conflict (cluster) do update set
          mode = excluded.mode,
          mapping = excluded.mapping,
          on_uid_mismatch = excluded.on_uid_mismatch,
          adoption = excluded.adoption,
          on_recreate = excluded.on_recreate,
          create_namespaces = excluded.create_namespaces,
          guard_percent = excluded.guard_percent,
          guard_min = excluded.guard_min,
          generation = gitops_settings.generation + 1,
          updated_at = excluded.updated_at,
          updated_by = excluded.updated_by
          where gitops_settings.generation = ${generation}::bigint
        returning *
      `.execute(db);
      return rows[0];
    },
  };
}
