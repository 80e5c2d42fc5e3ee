// Keeps a cluster's records of operations in the database. Only the hub that owns its sync writes them.
import { type Kysely, sql } from "kysely";
import type { Tables } from "../../../platform/store/index.ts";
import { gitopsErrors } from "../errors.ts";
import type { OwnershipFence } from "../types.ts";
import type { OperationRecord } from "./requested-operation.ts";

export interface KeptOperations {
  read(): Promise<ReadonlyMap<string, OperationRecord>>;
  /** Undefined: there is none. Throws GITOPS_NOT_OWNER once another hub owns the sync. */
  write(uid: string, record: OperationRecord | undefined): Promise<void>;
}

export function createKeptOperations(db: Kysely<Tables>, { cluster, term }: OwnershipFence): KeptOperations {
  const owner = sql`lease.name = ${`gitops/${cluster}`} and lease.fence = ${String(term)}::bigint`;
  return {
    async read() {
      const rows = await db
        .selectFrom("gitops_operation")
        .select(["uid", "record"])
        .where("cluster", "=", cluster)
        .execute();
      return new Map(rows.map(({ uid, record }) => [uid, record as OperationRecord]));
    },

    async write(uid, record) {
      const text = JSON.stringify(record);
      const { rows } = await (record === undefined
        ? sql`
            with owner as (select from lease where ${owner} for share),
              gone as (delete from gitops_operation where cluster = ${cluster} and uid = ${uid} and exists (select from owner))
            select from owner
          `
        : sql`
            insert into gitops_operation (cluster, uid, record)
            select cluster.name, ${uid}, ${text}::jsonb from cluster, lease where cluster.name = ${cluster} and ${owner}
            for share
            on conflict (cluster, uid) do update set record = excluded.record
            returning uid
          `
      ).execute(db);
      if (rows.length === 0) throw gitopsErrors.GITOPS_NOT_OWNER({ cluster });
    },
  };
}
