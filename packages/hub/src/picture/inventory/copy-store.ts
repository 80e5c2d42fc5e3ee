// The SQL of clusters and kinds.

import type { KindState } from "@fairlead/contract";
import { type Kysely, type Selectable, sql } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import type { KindInfo } from "./types.ts";

export interface KindRow extends KindInfo {
  readonly cluster: string;
  readonly state: KindState;
  readonly sinceMs: number;
  readonly code: string | undefined;
  readonly message: string | undefined;
  readonly verifiedMs: number | undefined;
}

export interface CopyRow {
  readonly cluster: string;
  /** The copy is of this cluster. The registry of clusters knows which one the name means. */
  readonly kubeSystemUid: string;
  readonly leaseEpoch: bigint;
}

export interface CopyStore {
  load(): Promise<{ clusters: CopyRow[]; kinds: KindRow[] }>;
  putCluster(row: CopyRow): Promise<void>;
  putKinds(rows: readonly KindRow[]): Promise<void>;
  removeKind(cluster: string, kind: string): Promise<void>;
  removeKinds(cluster: string, kinds: readonly string[]): Promise<void>;
  putVerified(rows: readonly { cluster: string; kind: string; verifiedMs: number }[]): Promise<void>;
}

export function createCopyStore(db: Kysely<Tables>): CopyStore {
  return {
    async load() {
      const clusters = await db.selectFrom("inventory_cluster").selectAll().execute();
      const kinds = await db.selectFrom("inventory_kind").selectAll().execute();
      return {
        clusters: clusters.map((row) => ({
          cluster: row.cluster,
          kubeSystemUid: row.kube_system_uid,
          leaseEpoch: BigInt(row.lease_epoch),
        })),
        kinds: kinds.map(toKindRow),
      };
    },

    async putCluster(row) {
      // Nothing when the cluster was removed meanwhile.
      await sql`
        insert into inventory_cluster (cluster, kube_system_uid, lease_epoch)
        select name, ${row.kubeSystemUid}, ${String(row.leaseEpoch)}::bigint from cluster
        where name = ${row.cluster} for key share
        on conflict (cluster) do update
        set kube_system_uid = excluded.kube_system_uid, lease_epoch = excluded.lease_epoch
      `.execute(db);
    },

    async putKinds(rows) {
      if (rows.length === 0) return;
      const inOrder = rows.toSorted((one, other) => (one.kind < other.kind ? -1 : 1));
      await db.transaction().execute(async (trx) => {
        await holdClusters(trx, [...new Set(rows.map(({ cluster }) => cluster))]);
        await trx
          .insertInto("inventory_kind")
          .values(
            inOrder.map((row) => ({
              ...{ cluster: row.cluster, kind: row.kind, api_group: row.group, api_version: row.version },
              ...{ resource: row.resource, kind_name: row.kindName, namespaced: row.namespaced },
              short_names: [...row.shortNames],
              state: row.state,
              state_since: new Date(row.sinceMs),
              ...{ code: row.code ?? null, message: row.message ?? null },
              printer_columns: row.printerColumns === undefined ? null : JSON.stringify(row.printerColumns),
              verified_at: row.verifiedMs === undefined ? null : new Date(row.verifiedMs),
            })),
          )
          .onConflict((conflict) =>
            conflict.columns(["cluster", "kind"]).doUpdateSet(({ ref }) => ({
              api_version: ref("excluded.api_version"),
              kind_name: ref("excluded.kind_name"),
              namespaced: ref("excluded.namespaced"),
              short_names: ref("excluded.short_names"),
              state: ref("excluded.state"),
              state_since: ref("excluded.state_since"),
              code: ref("excluded.code"),
              message: ref("excluded.message"),
              printer_columns: sql`excluded.printer_columns`,
              verified_at: ref("excluded.verified_at"),
            })),
          )
          .execute();
      });
    },

    async removeKind(cluster, kind) {
      await db.deleteFrom("inventory_kind").where("cluster", "=", cluster).where("kind", "=", kind).execute();
    },

    async removeKinds(cluster, kinds) {
      await sql`delete from inventory_kind where cluster = ${cluster} and kind = any(${kinds}::text[])`.execute(db);
    },

    async putVerified(rows) {
      if (rows.length === 0) return;
      await db.transaction().execute(async (trx) => {
        await holdClusters(trx, [...new Set(rows.map(({ cluster }) => cluster))]);
        await sql`
        with held as materialized (
          select k.cluster, k.kind from inventory_kind k
          where (k.cluster, k.kind) in (
            select * from unnest(${rows.map((row) => row.cluster)}::text[], ${rows.map((row) => row.kind)}::text[])
          )
          order by k.cluster, k.kind for no key update
        )
        update inventory_kind k set verified_at = to_timestamp(r.verified_ms / 1000.0)
        from unnest(
          ${rows.map((row) => row.cluster)}::text[], ${rows.map((row) => row.kind)}::text[],
          ${rows.map((row) => row.verifiedMs)}::float8[]
        ) r (cluster, kind, verified_ms) join held using (cluster, kind)
        where k.cluster = r.cluster and k.kind = r.kind
      `.execute(trx);
      });
    },
  };
}

/** Before their kinds, as their removal does, and all in one order: else two would wait for each other. */
async function holdClusters(trx: Kysely<Tables>, clusters: readonly string[]): Promise<void> {
  await sql`
    select from inventory_cluster where cluster = any(${clusters}::text[]) order by cluster for key share
  `.execute(trx);
}

function toKindRow(row: Selectable<Tables["inventory_kind"]>): KindRow {
  return {
    ...{ cluster: row.cluster, kind: row.kind, group: row.api_group, version: row.api_version },
    ...{ resource: row.resource, kindName: row.kind_name, namespaced: row.namespaced, shortNames: row.short_names },
    ...(row.printer_columns === null ? {} : { printerColumns: row.printer_columns }),
    state: row.state as KindState,
    sinceMs: row.state_since.getTime(),
    code: row.code ?? undefined,
    message: row.message ?? undefined,
    verifiedMs: row.verified_at?.getTime(),
  };
}
