import type { GitopsMapping, GitopsMode } from "@fairlead/contract";
import { type Kysely, sql } from "kysely";
import type { GitopsSettingsTable, Tables } from "../../../platform/store/index.ts";

export interface GitopsSettingsStore {
  /** Undefined: nobody has set any. */
  find(cluster: string): Promise<GitopsSettingsTable | undefined>;
  list(): Promise<GitopsSettingsTable[]>;
  /** Undefined: there is no such cluster. */
  put(wanted: WantedSettings): Promise<GitopsSettingsTable | undefined>;
}

interface WantedSettings {
  readonly cluster: string;
  readonly mode: GitopsMode;
  readonly mapping: GitopsMapping;
  readonly by: string;
  readonly at: Date;
}

export function createGitopsSettingsStore(db: Kysely<Tables>): GitopsSettingsStore {
  return {
    find: (cluster) => db.selectFrom("gitops_settings").selectAll().where("cluster", "=", cluster).executeTakeFirst(),

    list: () => db.selectFrom("gitops_settings").selectAll().orderBy("cluster").execute(),

    async put({ cluster, mode, mapping, by, at }) {
      // From the cluster's own row: it may be removed at this moment.
      const { rows } = await sql<GitopsSettingsTable>`
        insert into gitops_settings (cluster, mode, mapping, generation, updated_at, updated_by)
        select name, ${mode}, ${mapping}, 1, ${at}, ${by} from cluster where name = ${cluster} for key share
        on conflict (cluster) do update set
          mode = excluded.mode,
          mapping = excluded.mapping,
          generation = gitops_settings.generation + 1,
          updated_at = excluded.updated_at,
          updated_by = excluded.updated_by
        returning *
      `.execute(db);
      return rows[0];
    },
  };
}
