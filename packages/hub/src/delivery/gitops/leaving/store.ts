import { type Kysely, sql } from "kysely";
import type { GitopsLeftTable, Tables } from "../../../platform/store/index.ts";

export interface LeavingStore {
  put(cluster: string, applications: readonly LeftApplication[], at: Date): Promise<void>;
  list(): Promise<readonly GitopsLeftTable[]>;
  forget(uids: readonly string[]): Promise<void>;
}

export type LeftApplication = Pick<GitopsLeftTable, "uid" | "namespace" | "name">;

export function createLeavingStore(db: Kysely<Tables>): LeavingStore {
  return {
    async put(cluster, applications, at) {
      await sql`
        insert into gitops_left (uid, cluster, namespace, name, left_at)
        select uid, ${cluster}, namespace, name, ${at}
        from jsonb_to_recordset(${JSON.stringify(applications)}::jsonb) as told (uid text, namespace text, name text)
        on conflict (uid) do update set cluster = excluded.cluster, left_at = excluded.left_at
      `.execute(db);
    },

    list: () => db.selectFrom("gitops_left").selectAll().orderBy("uid").execute(),

    async forget(uids) {
      if (uids.length > 0) await db.deleteFrom("gitops_left").where("uid", "in", uids).execute();
    },
  };
}
