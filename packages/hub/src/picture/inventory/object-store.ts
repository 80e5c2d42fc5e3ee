// The SQL that keeps objects. A batch is one statement, because each costs as much as dozens of rows. Written so that
// writing the same twice changes nothing: a batch whose outcome isn't known is simply written again.
import { eventKinds } from "@fairlead/kube";
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import { type Guard, oneWriter, write } from "./guard.ts";
import type { IncomingRow, Removal } from "./read-change.ts";
import type { ChangeType } from "./types.ts";

export interface WrittenRow {
  readonly cluster: string;
  readonly kind: string;
  readonly uid: string;
  readonly revision: number;
  readonly change: ChangeType;
}

/** A change as it is read back, for listeners that missed it. */
export interface StoredChange extends WrittenRow {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly health: string | null;
}

/** Some changes, and what the database is at the same moment. */
export interface ReadOn {
  readonly changes: StoredChange[];
  /** Another one after the database was put back to an older state. */
  readonly history: string;
  /** Counts the changes of all hubs; 0 where one hub has the database alone. It goes back only when the database does. */
  readonly counter: number;
}

export interface ObjectStore {
  /** Gives the rows that it changed; one that was the same already isn't among them. No object may come twice. */
  apply(rows: readonly IncomingRow[], nowMs: number, guard?: Guard): Promise<WrittenRow[]>;
  remove(removals: readonly Removal[], nowMs: number, guard?: Guard): Promise<StoredChange[]>;
  /** Some of the objects of a cluster, or of one kind, become tombstones; empty when there are none left. */
  forgetSome(
    options: { cluster: string; kind?: string | undefined; nowMs: number },
    guard?: Guard,
  ): Promise<StoredChange[]>;
  /** Returns the digest of every bucket that isn't empty. Versions are signed. */
  digest(
    options: KindOfCluster & { bucketCount: number },
  ): Promise<{ bucket: number; digest: bigint; objects: number }[]>;
  listBuckets(
    options: KindOfCluster & { bucketCount: number; buckets: readonly number[] },
  ): Promise<{ bucket: number; uid: string; version: bigint }[]>;
  /** After the revision, in order. */
  listSince(revision: number, limit: number): Promise<ReadOn>;
  /** Counts objects of all kinds, or of these. */
  countObjects(kinds?: readonly KindOfCluster[]): Promise<{ cluster: string; kind: string; objects: number }[]>;
  /** Everything up to it is committed. */
  newestRevision(): Promise<number>;
  /** Deletes some tombstones that are older; gives their number. */
  purge(deletedBefore: Date): Promise<number>;
  /** Deletes some of a cluster's tombstones, oldest first; gives their number. */
  purgeOf(cluster: string): Promise<number>;
  /** How many rows a cluster has, and how large their bodies are as they are stored; tombstones are among them. */
  measure(cluster: string): Promise<{ objects: number; bytes: number }>;
  /** UIDs of those that are there already. */
  findStored(rows: readonly IncomingRow[]): Promise<ReadonlySet<string>>;
  /** Deletes some rows of clusters that the inventory doesn't know (any more); gives their number. */
  sweep(): Promise<number>;
  /** After many changes: counts that came down to none go, and plans know the new sizes without waiting for autovacuum. */
  tidy(): Promise<void>;
}

export interface KindOfCluster {
  readonly cluster: string;
  readonly kind: string;
}

export function createObjectStore(
  db: Kysely<Tables>,
  { history = sql<string>`''` }: { readonly history?: RawBuilder<string> } = {},
): ObjectStore {
  return {
    apply(rows, nowMs, guard) {
      const now = new Date(nowMs).toISOString();
      const bodies = joinBodies(rows);
      return write<WrittenRow>(
        db,
        guard,
        (writer, isHeld) => sql`
        insert into inventory_object (
          cluster, kind, uid, namespace, name, bucket, version, revision, labels, owners, health, health_message,
          created_at, changed_at, change, spec_changed_at, health_changed_at, is_cut, wanted, usage, body
        )
        select
          r.cluster, r.kind, r.uid, r.namespace, r.name, r.bucket, r.version, nextval('inventory_revision'),
          r.labels::jsonb, case when r.owners = '' then '{}' else string_to_array(r.owners, ' ') end,
          r.health, r.health_message,
          r.created_at, coalesce(r.happened_at, least(r.created_at, ${now}::timestamptz)), 'created',
          least(r.created_at, ${now}::timestamptz),
          case when r.health is not null then ${now}::timestamptz end, r.is_cut, r.wanted, r.usage::jsonb,
          convert_from(substr(${bodies.bytes}::bytea, r.body_from, r.body_bytes), 'UTF8')::jsonb
        from (
          select u.*, to_timestamp(u.created_ms / 1000.0) as created_at,
            to_timestamp(u.happened_ms / 1000.0) as happened_at
          from unnest(
            ${texts(rows, (row) => row.cluster)}, ${texts(rows, (row) => row.kind)}, ${texts(rows, (row) => row.uid)},
            ${texts(rows, (row) => row.namespace)}, ${texts(rows, (row) => row.name)},
            ${rows.map((row) => row.bucket)}::int[], ${rows.map((row) => String(row.version))}::bigint[],
            ${texts(rows, (row) => JSON.stringify(row.labels))}, ${texts(rows, (row) => row.owners.join(" "))},
            ${texts(rows, (row) => row.health ?? null)}, ${texts(rows, (row) => row.healthMessage ?? null)},
            ${rows.map((row) => row.createdMs)}::float8[], ${rows.map((row) => row.happenedMs ?? null)}::float8[],
            ${rows.map((row) => row.isCut)}::boolean[],
            ${rows.map((row) => String(row.wanted))}::bigint[],
            ${texts(rows, (row) => (row.usage === undefined ? null : JSON.stringify(row.usage)))},
            ${bodies.from}::int[], ${bodies.sizes}::int[]
          ) u (
            cluster, kind, uid, namespace, name, bucket, version, labels, owners, health, health_message, created_ms,
            happened_ms, is_cut, wanted, usage, body_from, body_bytes
          )
        ) r cross join ${writer} where ${isHeld(sql`r.cluster`)}
        on conflict (cluster, kind, uid) do update set
          namespace = excluded.namespace, name = excluded.name, version = excluded.version,
          revision = excluded.revision, labels = excluded.labels, owners = excluded.owners,
          health = excluded.health, health_message = excluded.health_message, created_at = excluded.created_at,
          changed_at = case
            when excluded.kind = any(${eventKinds}::text[]) then excluded.changed_at else ${now}::timestamptz end,
          change = case
            when inventory_object.deleted_at is not null then 'created'
            when inventory_object.wanted <> excluded.wanted then 'updated'
            else 'status' end,
          spec_changed_at = case
            when inventory_object.deleted_at is not null or inventory_object.wanted <> excluded.wanted
            then ${now}::timestamptz else inventory_object.spec_changed_at end,
          health_changed_at = case
            when inventory_object.health is distinct from excluded.health
            then ${now}::timestamptz else inventory_object.health_changed_at end,
          deleted_at = null, is_cut = excluded.is_cut, wanted = excluded.wanted, usage = excluded.usage,
          body = excluded.body
        where inventory_object.version <> excluded.version or inventory_object.deleted_at is not null
        returning cluster, kind, uid, revision::float8 as revision, change
      `,
      );
    },

    remove(removals, nowMs, guard) {
      return write<StoredChange>(
        db,
        guard,
        (writer, isHeld) => sql`
        update inventory_object o set ${entomb("deleted", nowMs)}
        from ${writer}, unnest(
          ${texts(removals, (each) => each.cluster)}, ${texts(removals, (each) => each.kind)},
          ${texts(removals, (each) => each.uid)}
        ) r (cluster, kind, uid)
        where o.cluster = r.cluster and o.kind = r.kind and o.uid = r.uid and o.deleted_at is null
          and ${isHeld(sql`o.cluster`)}
        returning ${storedColumns}
      `,
      );
    },

    forgetSome({ cluster, kind, nowMs }, guard) {
      return write<StoredChange>(
        db,
        guard,
        (writer, isHeld) => sql`
        update inventory_object o set ${entomb("forgotten", nowMs)}
        from ${writer} where o.ctid in (
          select ctid from inventory_object
          where cluster = ${cluster} and deleted_at is null ${kind === undefined ? sql`` : sql`and kind = ${kind}`}
          limit ${chunkRows}
        ) and ${isHeld(sql`o.cluster`)}
        returning ${storedColumns}
      `,
      );
    },

    async digest({ cluster, kind, bucketCount }) {
      const { rows } = await sql<{ bucket: number; digest: string; objects: number }>`
        select (bucket & ${bucketCount - 1}::int) as bucket, bit_xor(version)::text as digest, count(*)::int as objects
        from inventory_object where cluster = ${cluster} and kind = ${kind} and deleted_at is null
        group by 1
      `.execute(db);
      return rows.map((row) => ({ ...row, digest: BigInt(row.digest) }));
    },

    async listBuckets({ cluster, kind, bucketCount, buckets }) {
      const { rows } = await sql<{ bucket: number; uid: string; version: string }>`
        select (bucket & ${bucketCount - 1}::int) as bucket, uid, version::text as version
        from inventory_object
        where cluster = ${cluster} and kind = ${kind} and deleted_at is null
          and (bucket & ${bucketCount - 1}::int) = any(${buckets}::int[])
      `.execute(db);
      return rows.map((row) => ({ ...row, version: BigInt(row.version) }));
    },

    async listSince(revision, limit) {
      // A single statement: on another connection another server might answer.
      const { rows } = await sql<StoredChange & Pick<ReadOn, "history" | "counter">>`
        select ${storedColumns}, ${history} as history, coalesce(
          (select value from change_counter where topic = 'inventory'), 0
        )::float8 as counter
        from (select) always left join (
          select * from inventory_object where revision > ${revision} order by revision limit ${limit}
        ) o on true
        order by o.revision
      `.execute(db);
      const { history: current = "", counter = 0 } = rows[0] ?? {};
      return { changes: rows.filter(({ uid }) => uid !== null), history: current, counter };
    },

    async countObjects(kinds) {
      const wanted = kinds
        ? sql`and (cluster, kind) in (
            select * from unnest(${texts(kinds, (one) => one.cluster)}, ${texts(kinds, (one) => one.kind)})
          )`
        : sql`and objects > 0`;
      const { rows } = await sql<{ cluster: string; kind: string; objects: number }>`
        select cluster, kind, sum(objects)::int as objects from inventory_count
        where namespace is null ${wanted} group by 1, 2
      `.execute(db);
      return rows;
    },

    async newestRevision() {
      // A number is given out before what has it is committed: in its turn nobody else has one on the way.
      const { rows } = await sql<{ revision: number }>`
        with ${oneWriter}
        select coalesce(pg_sequence_last_value('inventory_revision'), 0)::float8 as revision from one_writer
      `.execute(db);
      return rows[0]?.revision ?? 0;
    },

    async purge(deletedBefore) {
      const result = await sql`
        delete from inventory_object where ctid in (
          select ctid from inventory_object where deleted_at < ${deletedBefore.toISOString()}::timestamptz limit ${chunkRows}
          for update skip locked
        )
      `.execute(db);
      return Number(result.numAffectedRows ?? 0);
    },

    async purgeOf(cluster) {
      const result = await sql`
        delete from inventory_object where ctid = any(array(
          select ctid from inventory_object where cluster = ${cluster} and deleted_at is not null
          order by deleted_at limit ${quotaChunkRows} for update skip locked
        ))
      `.execute(db);
      return Number(result.numAffectedRows ?? 0);
    },

    async measure(cluster) {
      const { rows } = await sql<{ objects: number; bytes: number }>`
        select count(*)::int as objects, coalesce(sum(pg_column_size(body)), 0)::float8 as bytes
        from inventory_object where cluster = ${cluster}
      `.execute(db);
      return rows[0] ?? { objects: 0, bytes: 0 };
    },

    async findStored(wanted) {
      const { rows } = await sql<{ uid: string }>`
        select o.uid from inventory_object o join unnest(
          ${texts(wanted, (row) => row.cluster)}, ${texts(wanted, (row) => row.kind)}, ${texts(wanted, (row) => row.uid)}
        ) r (cluster, kind, uid) on o.cluster = r.cluster and o.kind = r.kind and o.uid = r.uid
      `.execute(db);
      return new Set(rows.map(({ uid }) => uid));
    },

    async sweep() {
      // From one cluster to the next by the primary key: looking at every row would take long.
      const result = await sql`
        with recursive ${oneWriter}, present as (
          (select cluster from inventory_object order by cluster limit 1)
          union all
          select (select o.cluster from inventory_object o where o.cluster > p.cluster order by o.cluster limit 1)
          from present p where p.cluster is not null
        )
        delete from inventory_object where ctid in (
          select o.ctid from one_writer, inventory_object o where o.cluster = (
            select p.cluster from present p
            where p.cluster is not null
              and not exists (select 1 from inventory_cluster c where c.cluster = p.cluster)
            limit 1
          ) limit ${chunkRows} for update of o skip locked
        )
      `.execute(db);
      return Number(result.numAffectedRows ?? 0);
    },

    async tidy() {
      await sql`
        delete from inventory_count where ctid in (
          select ctid from inventory_count where objects = 0 for update skip locked
        )
      `.execute(db);
      await sql`analyze inventory_object, inventory_count`.execute(db);
    },
  };
}

function entomb(change: ChangeType, nowMs: number): RawBuilder<unknown> {
  const now = new Date(nowMs).toISOString();
  return sql`
    deleted_at = ${now}::timestamptz, changed_at = ${now}::timestamptz, change = ${change}::text,
    revision = nextval('inventory_revision')
  `;
}

/**
 * Makes one parameter that crosses as bytes: as an array of texts, each character would be looked at for what to
 * escape, which costs as much as storing it.
 */
function joinBodies(rows: readonly IncomingRow[]): { bytes: Uint8Array; from: number[]; sizes: number[] } {
  const sizes = rows.map((row) => row.body.byteLength);
  let next = 1;
  const from = sizes.map((sizeBytes) => {
    next += sizeBytes;
    return next - sizeBytes;
  });
  return { bytes: Buffer.concat(rows.map((row) => row.body)), from, sizes };
}

/** NUL is what no text column takes. */
function texts<Row>(rows: readonly Row[], read: (row: Row) => string | null): RawBuilder<unknown> {
  return sql`${rows.map((row) => read(row)?.replaceAll("\0", "\ufffd") ?? null)}::text[]`;
}

const storedColumns: RawBuilder<unknown> = sql`
  o.cluster, o.kind, o.uid, o.revision::float8 as revision, o.change, o.namespace, o.name, o.labels, o.health
`;
const chunkRows = 500;
const quotaChunkRows = 2_000;
