// The SQL of this room: reads of inventory_object, which the inventory room writes.
import type { Kysely, RawBuilder } from "kysely";
import { sql } from "kysely";
import type { Principal } from "../../people/access/index.ts";
import type { Tables } from "../../platform/store/index.ts";
import type { ObjectNames } from "../inventory/index.ts";
import { type Filter, isOfCounts, toConditions } from "./filter.ts";
import { behind, type Order, readOrder } from "./order.ts";
import { type Page, type Placed, readPage, readReferencePage } from "./page.ts";
import type { KindScope } from "./scope.ts";

export interface FoundObject extends ObjectNames {
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

export type FoundRow = FoundObject & Placed;

/** The body has only what names the object, `apiVersion` and `kind`, and there are no labels. */
export type ReferenceRow = FoundObject & { readonly body: { readonly apiVersion: unknown; readonly kind: unknown } };

export interface CountRow {
  readonly kind: string | null;
  readonly cluster: string | null;
  readonly namespace: string | null;
  readonly health: string | null;
  readonly objects: number | string;
}

export interface ListOptions {
  readonly scopes: readonly KindScope[];
  readonly conditions: readonly RawBuilder<boolean>[];
  readonly order: Order;
  readonly after: readonly string[] | undefined;
  readonly limit: number;
}

export interface ObjectQueries {
  /** A page ends early, but has one at least, when the bodies come to more bytes. */
  list(options: ListOptions & { readonly maxBytes: number }): Promise<Page<FoundRow>>;
  /** Also those that were deleted and are remembered. */
  listReferences(options: ListOptions): Promise<Page<ReferenceRow & Pick<Placed, "position">>>;
  /**
   * Lists objects that changed after the revision, and up to another, in the order of their revisions, gone ones as well, of all clusters:
   * the caller judges which of them may be seen. Without kinds: of all.
   */
  listChanged(options: {
    readonly kinds: readonly string[] | undefined;
    readonly revision: number;
    readonly upTo: number;
    readonly limit: number;
    readonly maxBytes: number;
  }): Promise<Page<FoundRow>>;
  /** The kinds are given because the index finds objects by them. An object may be there by the names of several. */
  findByUid(options: {
    readonly cluster: string;
    readonly kinds: readonly string[];
    readonly uid: string;
  }): Promise<FoundObject[]>;
  findOwners(options: {
    readonly cluster: string;
    readonly kinds: readonly string[];
    readonly uids: readonly string[];
  }): Promise<ReferenceRow[]>;
  findNamed(ref: {
    readonly cluster: string;
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
  }): Promise<FoundObject | undefined>;
  findChildren(cluster: string, uid: string): Promise<ReferenceRow[]>;
  /** Events about what has one of the uids, newest first. */
  findEvents(cluster: string, uids: readonly string[]): Promise<readonly FoundObject[]>;
  /** Looks at objects only for a filter that counts don't answer. */
  count(options: {
    readonly scopes: readonly KindScope[];
    readonly filter?: Filter | undefined;
    readonly by: readonly ("kind" | "cluster" | "namespace")[];
  }): Promise<CountRow[]>;
}

/** The store as a caller may ask it for what a filter wants: what no index answers waits for its turn. */
export type StoreFor = (
  principal: Principal,
  filter: Filter,
) => Pick<ObjectQueries, "list" | "listReferences" | "listChanged" | "count">;

export function createObjectQueries(db: Kysely<Tables>): ObjectQueries {
  const isThere = sql<boolean>`deleted_at is null`;

  return {
    async list({ scopes, conditions, order, after, ...limits }) {
      const where = and(toScopeCondition(scopes), isThere, ...conditions, ...(after ? [behind(order, after)] : []));
      return await readPage(db, { columns, where, order, ...limits });
    },

    async listReferences({ scopes, conditions, order, after, limit }) {
      const where = and(toScopeCondition(scopes), ...conditions, ...(after ? [behind(order, after)] : []));
      return await readReferencePage(db, { columns: referenceColumns, where, order, limit });
    },

    async listChanged({ kinds, revision, upTo, ...limits }) {
      const where = and(
        sql`revision > ${revision} and revision <= ${upTo}`,
        ...(kinds ? [sql`kind = any(${kinds})`] : []),
      );
      return await readPage(db, { columns, where, order: inRevisions, ...limits });
    },

    async findByUid({ cluster, kinds, uid }) {
      const found = await sql<FoundObject>`
        select ${columns} from inventory_object
        where cluster = ${cluster} and kind = any(${kinds}) and uid = ${uid} and ${isThere}
        order by kind limit ${maxNames}`.execute(db);
      return found.rows;
    },

    async findOwners({ cluster, kinds, uids }) {
      if (uids.length === 0) return [];
      const found = await sql<ReferenceRow>`
        select ${referenceColumns} from inventory_object
        where cluster = ${cluster} and kind = any(${kinds}) and uid = any(${uids}) and ${isThere}
        order by kind, namespace, name limit ${maxOwners}`.execute(db);
      return found.rows;
    },

    async findNamed({ cluster, kind, namespace, name }) {
      const found = await sql<FoundObject>`
        select ${columns} from inventory_object
        where kind = ${kind} and namespace = ${namespace} and name = ${name} and cluster = ${cluster} and ${isThere}
        limit 1`.execute(db);
      return found.rows[0];
    },

    async findChildren(cluster, uid) {
      const found = await sql<ReferenceRow>`
        select ${referenceColumns} from inventory_object
        where cluster = ${cluster} and owners @> array[${uid}]::text[] and owners <> '{}' and ${isThere}
        order by kind, namespace, name limit ${maxRelated}`.execute(db);
      return found.rows;
    },

    async findEvents(cluster, uids) {
      const isAbout = sql`body #>> '{involvedObject,uid}' = any(${uids})`;
      const where = and(sql`cluster = ${cluster}`, sql`kind = 'events'`, isAbout, isThere);
      const order = readOrder("-changed");
      const { rows } = await readPage<FoundRow>(db, {
        columns,
        where,
        order,
        limit: maxRelated,
        maxBytes: maxEventBytes,
      });
      return rows;
    },

    async count({ scopes, filter, by }) {
      const where = and(toScopeCondition(scopes), ...(filter ? toConditions(filter) : []));
      const group = sql.join([...by, "health"].map((column) => sql.ref(column)));
      const found = await sql<CountRow>`
        select ${group}, ${countedIn({ scopes, filter, by })} and ${where} group by ${group}`.execute(db);
      return found.rows;
    },
  };
}

function and(...conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return sql.join(conditions, sql` and `);
}

/** In counts over all namespaces, in those of each, or in objects one by one: where the least is looked at. */
function countedIn({ scopes, filter, by }: Parameters<ObjectQueries["count"]>[0]): RawBuilder<unknown> {
  if (filter && !isOfCounts(filter)) return sql`count(*) as objects from inventory_object where deleted_at is null`;
  const isOverall =
    !by.includes("namespace") && !filter?.namespaces && scopes.every(({ namespaces }) => namespaces.size === 0);
  const rows = isOverall ? sql`namespace is null` : sql`namespace is not null`;
  return sql`sum(objects) as objects from inventory_count where objects > 0 and ${rows}`;
}

/** Nothing is found in no scope. Most kinds are in the same clusters, which are many: they are named once. */
function toScopeCondition(scopes: readonly KindScope[]): RawBuilder<boolean> {
  const groups = Map.groupBy(scopes, ({ clusters, namespaces }) => JSON.stringify([clusters, [...namespaces]]));
  const parts = [...groups.values()].flatMap((alike) => {
    const [{ clusters, namespaces }] = alike as [KindScope];
    const places = [
      ...(clusters.length > 0 ? [sql`cluster = any(${clusters})`] : []),
      ...[...namespaces].map(([cluster, names]) => sql`(cluster = ${cluster} and namespace = any(${names}))`),
    ];
    const kinds = alike.map(({ kind }) => kind);
    // The order of an index is of use only behind a single kind.
    const ofKinds = kinds.length === 1 ? sql`kind = ${kinds[0]}` : sql`kind = any(${kinds})`;
    return places.length === 0 ? [] : [sql<boolean>`(${ofKinds} and (${sql.join(places, sql` or `)}))`];
  });
  return parts.length === 0 ? sql`false` : sql`(${sql.join(parts, sql` or `)})`;
}

const plainColumns = sql.raw(
  "cluster, kind, uid, namespace, name, owners, health, health_message, created_at, changed_at, change, spec_changed_at, deleted_at, is_cut, revision",
);
const columns = sql`${plainColumns}, labels, body`;
// Labels may be as large as an object.
const referenceColumns = sql`${plainColumns}, '{}'::jsonb as labels, jsonb_build_object(
  'apiVersion', left(body ->> 'apiVersion', 320), 'kind', left(body ->> 'kind', 320)) as body`;
const inRevisions = { keys: [sql`revision`], isDescending: false };
const maxRelated = 500;
/** Each of them may have 64 more. */
export const maxOwners = 100;
const maxEventBytes = 8 * 1024 * 1024;
/** The bound for the names of an object. */
const maxNames = 8;
