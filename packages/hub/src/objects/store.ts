// The SQL of this room: reads of inventory_object, which the inventory room writes.
import type { Kysely, RawBuilder } from "kysely";
import { sql } from "kysely";
import type { Tables } from "../store/index.ts";
import { behind, type Order, orderBy } from "./order.ts";
import type { KindScope } from "./scope.ts";

export interface ObjectRow {
  readonly cluster: string;
  readonly kind: string;
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly owners: readonly string[];
  readonly health: string | null;
  readonly health_message: string | null;
  readonly created_at: Date;
  readonly changed_at: Date;
  readonly change: string;
  readonly spec_changed_at: Date;
  readonly deleted_at: Date | null;
  readonly is_cut: boolean;
  readonly revision: number | string;
  readonly body: unknown;
}

export interface FoundRow extends ObjectRow {
  /** The row's place in the order it was asked for in. */
  readonly position: readonly string[];
}

export interface CountRow {
  readonly kind: string | null;
  readonly cluster: string | null;
  readonly namespace: string | null;
  readonly health: string | null;
  readonly objects: number | string;
}

export interface ObjectStore {
  list(options: {
    readonly scopes: readonly KindScope[];
    readonly conditions: readonly RawBuilder<boolean>[];
    readonly order: Order;
    readonly after: readonly string[] | undefined;
    readonly limit: number;
    /** Also those that were deleted and are remembered. */
    readonly withDeleted?: boolean;
  }): Promise<FoundRow[]>;
  /**
   * Those that changed after the revision, in the order of their revisions, gone ones as well. Of all clusters: what of
   * them the caller may see is for who asks to judge. Without kinds: of all.
   */
  listChanged(options: {
    readonly kinds: readonly string[] | undefined;
    readonly revision: number;
    readonly limit: number;
  }): Promise<ObjectRow[]>;
  /** Of the kinds, by which the index finds them. */
  findByUids(options: {
    readonly cluster: string;
    readonly kinds: readonly string[];
    readonly uids: readonly string[];
  }): Promise<ObjectRow[]>;
  findNamed(ref: {
    readonly cluster: string;
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
  }): Promise<ObjectRow | undefined>;
  findChildren(cluster: string, uid: string): Promise<ObjectRow[]>;
  /** Events about what has one of the uids, newest first. */
  findEvents(cluster: string, uids: readonly string[]): Promise<ObjectRow[]>;
  count(options: {
    readonly scopes: readonly KindScope[];
    readonly conditions: readonly RawBuilder<boolean>[];
    readonly by: readonly ("kind" | "cluster" | "namespace")[];
  }): Promise<CountRow[]>;
  listNamespaces(cluster: string): Promise<string[]>;
}

export function createObjectStore(db: Kysely<Tables>): ObjectStore {
  const isThere = sql<boolean>`deleted_at is null`;

  return {
    async list({ scopes, conditions, order, after, limit, withDeleted = false }) {
      const where = sql.join(
        [
          toScopeCondition(scopes),
          ...(withDeleted ? [] : [isThere]),
          ...conditions,
          ...(after ? [behind(order, after)] : []),
        ],
        sql` and `,
      );
      const position = sql.join(order.keys.map((key) => sql`(${key})::text`));
      // What isn't on the page is sorted without its body and its position.
      const found = await sql<FoundRow>`
        select ${columns}, array[${position}] as position from inventory_object
        where ctid = any(array(
          select ctid from inventory_object where ${where} order by ${orderBy(order)} limit ${limit}
        )) order by ${orderBy(order)}`.execute(db);
      return found.rows;
    },

    async listChanged({ kinds, revision, limit }) {
      const ofKinds = kinds ? sql`and kind = any(${kinds})` : sql``;
      const found = await sql<ObjectRow>`
        select ${columns} from inventory_object
        where revision > ${revision} ${ofKinds} order by revision limit ${limit}`.execute(db);
      return found.rows;
    },

    async findByUids({ cluster, kinds, uids }) {
      if (uids.length === 0) return [];
      const found = await sql<ObjectRow>`
        select ${columns} from inventory_object
        where cluster = ${cluster} and kind = any(${kinds}) and uid = any(${uids}) and ${isThere}`.execute(db);
      return found.rows;
    },

    async findNamed({ cluster, kind, namespace, name }) {
      const found = await sql<ObjectRow>`
        select ${columns} from inventory_object
        where kind = ${kind} and namespace = ${namespace} and name = ${name} and cluster = ${cluster} and ${isThere}
        limit 1`.execute(db);
      return found.rows[0];
    },

    async findChildren(cluster, uid) {
      const found = await sql<ObjectRow>`
        select ${columns} from inventory_object
        where cluster = ${cluster} and owners @> array[${uid}]::text[] and owners <> '{}' and ${isThere}
        order by kind, namespace, name limit ${maxRelated}`.execute(db);
      return found.rows;
    },

    async findEvents(cluster, uids) {
      const found = await sql<ObjectRow>`
        select ${columns} from inventory_object
        where cluster = ${cluster} and kind = 'events' and body #>> '{involvedObject,uid}' = any(${uids}) and ${isThere}
        order by changed_at desc limit ${maxRelated}`.execute(db);
      return found.rows;
    },

    async count({ scopes, conditions, by }) {
      const where = sql.join([toScopeCondition(scopes), isThere, ...conditions], sql` and `);
      const group = sql.join([...by, "health"].map((column) => sql.ref(column)));
      const found = await sql<CountRow>`
        select ${group}, count(*) as objects from inventory_object where ${where} group by ${group}`.execute(db);
      return found.rows;
    },

    async listNamespaces(cluster) {
      const found = await sql<{ namespace: string }>`
        select distinct namespace from inventory_object
        where cluster = ${cluster} and namespace <> '' and ${isThere}`.execute(db);
      return found.rows.map(({ namespace }) => namespace);
    },
  };
}

/** Nothing is found in no scope. */
function toScopeCondition(scopes: readonly KindScope[]): RawBuilder<boolean> {
  const parts = scopes.flatMap(({ kind, clusters, namespaces }) => {
    const places = [
      ...(clusters.length > 0 ? [sql`cluster = any(${clusters})`] : []),
      ...[...namespaces].map(([cluster, names]) => sql`(cluster = ${cluster} and namespace = any(${names}))`),
    ];
    return places.length === 0 ? [] : [sql<boolean>`(kind = ${kind.kind} and (${sql.join(places, sql` or `)}))`];
  });
  return parts.length === 0 ? sql`false` : sql`(${sql.join(parts, sql` or `)})`;
}

const columns = sql.raw(
  "cluster, kind, uid, namespace, name, labels, owners, health, health_message, created_at, changed_at, change, spec_changed_at, deleted_at, is_cut, revision, body",
);
const maxRelated = 500;
