// The SQL of clusters and kinds.

import type { KindState } from "@fairlead/contract";
import { type Kysely, type RawBuilder, type Selectable, sql } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import { type Guard, unlocked, writeUnder } from "./guard.ts";
import { type StoreTime, sameTime } from "./store-time.ts";
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
  loadKinds(clusters: readonly string[]): Promise<KindRow[]>;
  putCluster(row: CopyRow, guard?: Guard): Promise<void>;
  putKinds(rows: readonly KindRow[], guard?: Guard): Promise<void>;
  removeKinds(cluster: string, kinds: readonly string[], guard?: Guard): Promise<void>;
  putVerified(rows: readonly { cluster: string; kind: string; verifiedMs: number }[]): Promise<void>;
}

export function createCopyStore(db: Kysely<Tables>, time: StoreTime = sameTime): CopyStore {
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
        kinds: kinds.map((row) => toKindRow(row, time)),
      };
    },

    async loadKinds(clusters) {
      const { rows } = await sql<Selectable<Tables["inventory_kind"]>>`
        select * from inventory_kind where cluster = any(${clusters}::text[])
      `.execute(db);
      return rows.map((row) => toKindRow(row, time));
    },

    async putCluster(row, guard) {
      // Nothing when the cluster was removed meanwhile.
      await writeUnder(
        db,
        guard,
        (held) => sql`
        insert into inventory_cluster (cluster, kube_system_uid, lease_epoch)
        select name, ${row.kubeSystemUid}, ${String(row.leaseEpoch)}::bigint from cluster
        where name = ${row.cluster} ${held(sql`name`)} for key share of cluster ${unlocked(guard)}
        on conflict (cluster) do update
        set kube_system_uid = excluded.kube_system_uid, lease_epoch = excluded.lease_epoch
      `,
      );
    },

    async putKinds(rows, guard) {
      if (rows.length === 0) return;
      const inOrder = rows.toSorted((one, other) => (one.kind < other.kind ? -1 : 1));
      const values = inOrder.map(({ sinceMs, verifiedMs, ...row }) => ({
        ...row,
        since: new Date(time.toStored(sinceMs)),
        verified: verifiedMs === undefined ? null : new Date(time.toStored(verifiedMs)),
      }));
      await writeUnder(
        db,
        guard,
        (held) => sql`
        insert into inventory_kind (
          cluster, kind, api_group, api_version, resource, kind_name, namespaced, short_names, state, state_since, code,
          message, printer_columns, verified_at
        )
        select
          k.cluster, k.kind, k."group", k.version, k.resource, k."kindName", k.namespaced,
          array(select jsonb_array_elements_text(k."shortNames")), k.state, k.since, k.code, k.message,
          k."printerColumns", k.verified
        from jsonb_to_recordset(${JSON.stringify(values)}::jsonb) k (
          cluster text, kind text, "group" text, version text, resource text, "kindName" text, namespaced boolean,
          "shortNames" jsonb, state text, since timestamptz, code text, message text, "printerColumns" jsonb,
          verified timestamptz
        ) join (${holdClusters([...new Set(rows.map(({ cluster }) => cluster))], guard)}) present on present.cluster = k.cluster
        where true ${held(sql`k.cluster`)}
        order by k.kind
        on conflict (cluster, kind) do update set
          api_version = excluded.api_version, kind_name = excluded.kind_name, namespaced = excluded.namespaced,
          short_names = excluded.short_names, state = excluded.state, state_since = excluded.state_since,
          code = excluded.code, message = excluded.message, printer_columns = excluded.printer_columns,
          verified_at = excluded.verified_at
      `,
      );
    },

    async removeKinds(cluster, kinds, guard) {
      await writeUnder(
        db,
        guard,
        (held) => sql`
        delete from inventory_kind where ctid in (
          select ctid from inventory_kind where cluster = ${cluster} and kind = any(${kinds}::text[])
          order by kind for update ${unlocked(guard)}
        ) ${held(sql`inventory_kind.cluster`)}
      `,
      );
    },

    async putVerified(rows) {
      if (rows.length === 0) return;
      await db.transaction().execute(async (trx) => {
        await holdClusters([...new Set(rows.map(({ cluster }) => cluster))]).execute(trx);
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
function holdClusters(clusters: readonly string[], guard?: Guard): RawBuilder<unknown> {
  return sql`
    select cluster from inventory_cluster where cluster = any(${clusters}::text[]) order by cluster
    for key share ${unlocked(guard)}
  `;
}

function toKindRow(row: Selectable<Tables["inventory_kind"]>, time: StoreTime): KindRow {
  return {
    cluster: row.cluster,
    kind: row.kind,
    group: row.api_group,
    version: row.api_version,
    resource: row.resource,
    kindName: row.kind_name,
    namespaced: row.namespaced,
    shortNames: row.short_names,
    ...(row.printer_columns === null ? {} : { printerColumns: row.printer_columns }),
    state: row.state as KindState,
    sinceMs: time.fromStored(row.state_since),
    code: row.code ?? undefined,
    message: row.message ?? undefined,
    verifiedMs: row.verified_at === null ? undefined : time.fromStored(row.verified_at),
  };
}
