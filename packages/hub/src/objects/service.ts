// Answers about objects over clusters. Every answer says for each of its clusters how old it is; a cluster that is away
// is in the answer with what the hub last had of it.
import type {
  ChangeQuery,
  ClusterInventory,
  ClusterInventoryList,
  DataAge,
  Health,
  KindInfo as KindEntry,
  KindList,
  ObjectChangeList,
  ObjectDetail,
  ObjectList,
  ObjectQuery,
  ObjectRef,
  Rollup,
  RollupList,
  RollupQuery,
} from "@fairlead/contract";
import { sql } from "kysely";
import type { Principal } from "../access/index.ts";
import { toDataAge } from "./ages.ts";
import { maySeeCapacity, toCapacity } from "./capacity.ts";
import { describeInventory } from "./cluster-inventory.ts";
import { formatCursor, parseCursor } from "./cursor.ts";
import { objectNotFound } from "./errors.ts";
import { toConditions } from "./filter.ts";
import { chooseKinds, gatherKinds } from "./kinds.ts";
import { readOrder } from "./order.ts";
import type { ObjectRequest, RequestReader } from "./request.ts";
import { findScopes, mayList } from "./scope.ts";
import { toKindTable, toObjectChange, toObjectItem, toObjectRef, toShownKind } from "./show.ts";
import type { CountRow, ObjectRow, ObjectStore } from "./store.ts";
import type { Asking, ClusterListing, ClusterNames, ObjectAccess, ObjectInventory } from "./types.ts";

export interface Objects {
  list(query: ObjectQuery, asking: Asking): Promise<ObjectList>;
  /** Throws OBJECTS_NOT_FOUND, for what may not be seen as well. */
  get(ref: { readonly cluster: string; readonly uid: string }, asking: Asking): Promise<ObjectDetail>;
  getNamed(
    ref: { readonly cluster: string; readonly kind: string; readonly namespace: string; readonly name: string },
    asking: Asking,
  ): Promise<ObjectDetail>;
  kinds(asking: Asking): Promise<KindList>;
  count(query: RollupQuery, asking: Asking): Promise<RollupList>;
  changes(query: ChangeQuery, asking: Asking): Promise<ObjectChangeList>;
  inventories(
    query: { readonly cluster?: string | undefined; readonly clusterSelector?: string | undefined },
    asking: Asking,
  ): Promise<ClusterInventoryList>;
  /** What one cluster's own page says. Throws CLUSTER_NOT_FOUND. */
  inventory(cluster: string, asking: Asking): Promise<ClusterInventory>;
}

export function createObjects(options: {
  readonly access: ObjectAccess;
  readonly inventory: ObjectInventory;
  readonly requests: RequestReader;
  readonly store: Omit<ObjectStore, "listNamespaces">;
  readonly listNamespaces: (cluster: string) => Promise<readonly string[]>;
  readonly clusters: ClusterNames;
  readonly kubernetesVersion: (cluster: string) => string | undefined;
}): Objects {
  const { access, inventory, requests, store, listNamespaces } = options;
  return {
    ...{ list, get, getNamed, kinds, count, changes, inventories },
    inventory: (cluster, { principal }) => describeInventory({ inventory, access, cluster, principal }),
  };

  async function list(query: ObjectQuery, { principal, nowMs }: Asking): Promise<ObjectList> {
    const request = await requests.read(query, { principal });
    const order = readOrder(query.sort);
    const limit = query.limit ?? defaultLimit;
    const after = query.cursor === undefined ? undefined : parseCursor(query.cursor, order);
    const { scopes, filter } = request;
    const rows = await store.list({ scopes, conditions: toConditions(filter), order, after, limit: limit + 1 });
    const page = rows.slice(0, limit);
    const last = rows.length > limit ? page.at(-1) : undefined;
    const shown = new Map(request.kinds.map((info) => [info.kind, toShownKind(info)]));
    const withObject = query.include === "object";
    return {
      items: page.flatMap((row) => {
        const kind = shown.get(row.kind);
        return kind ? toObjectItem(row, kind, { nowMs, withObject }) : [];
      }),
      tables: [...shown.values()].map(toKindTable),
      clusters: readAges(request),
      ...(last && { next: formatCursor({ order: order.name, values: last.position }) }),
    };
  }

  function readAges({ clusters, kinds: asked }: Pick<ObjectRequest, "clusters" | "kinds">): DataAge[] {
    const names = new Set(asked.map(({ kind }) => kind));
    return clusters
      .filter(({ name }) => isPresent(name))
      .map(({ name }) => toDataAge(inventory.freshness(name), names));
  }

  /** A cluster may be removed while its objects are read. */
  function isPresent(name: string): boolean {
    return options.clusters.exists(name);
  }

  async function get(ref: { cluster: string; uid: string }, asking: Asking): Promise<ObjectDetail> {
    const cluster = findCluster(ref.cluster, asking.principal);
    // One object may be there by the names of two kinds, of which the caller may see one.
    return describe(cluster, await store.findByUids({ ...place(cluster), uids: [ref.uid] }), asking);
  }

  async function getNamed(
    ref: { cluster: string; kind: string; namespace: string; name: string },
    asking: Asking,
  ): Promise<ObjectDetail> {
    const cluster = findCluster(ref.cluster, asking.principal);
    const [kind] = chooseKinds(gatherKinds([cluster.kinds]), ref.kind);
    const row = await store.findNamed({ ...ref, kind: kind?.kind ?? ref.kind });
    return describe(cluster, row ? [row] : [], asking);
  }

  function findCluster(name: string, principal: Principal): ClusterListing {
    const [cluster] = requests.listClusters({ cluster: name }, { principal });
    if (!cluster) throw objectNotFound();
    return cluster;
  }

  async function describe(
    cluster: ClusterListing,
    found: readonly ObjectRow[],
    { principal, nowMs }: Asking,
  ): Promise<ObjectDetail> {
    const kinds = gatherKinds([cluster.kinds]);
    const isSeen = (row: ObjectRow, verb: "get" | "list"): boolean => {
      const kind = kinds.get(row.kind);
      return (
        kind !== undefined && mayList({ access, principal, cluster: row.cluster, kind, namespace: row.namespace, verb })
      );
    };
    const row = found.find((one) => isSeen(one, "get"));
    const info = row && kinds.get(row.kind);
    if (!info) throw objectNotFound();
    const shown = toShownKind(info);
    const refer = (one: ObjectRow): ObjectRef => toObjectRef(one, kinds.get(one.kind));
    // Who may only get things by their names doesn't find names here.
    const isListed = (one: ObjectRow): boolean => isSeen(one, "list");
    const eventKind = kinds.get("events");
    const events = eventKind && (await store.findEvents(cluster.name, subjectsOf(row))).filter(isListed);
    return {
      item: toObjectItem(row, shown, { nowMs, withObject: true }),
      table: toKindTable(shown),
      owners: (await findOwnerChain(row, cluster)).filter((one) => isSeen(one, "get")).map(refer),
      children: (await store.findChildren(cluster.name, row.uid)).filter(isListed).map(refer),
      events: eventKind
        ? (events ?? []).map((one) => toObjectItem(one, toShownKind(eventKind), { nowMs, withObject: false }))
        : [],
      age: toDataAge(inventory.freshness(cluster.name), new Set([row.kind])),
    };
  }

  async function findOwnerChain(row: ObjectRow, cluster: ClusterListing): Promise<ObjectRow[]> {
    const chain: ObjectRow[] = [];
    const seen = new Set([row.uid]);
    let wanted = row.owners;
    // Owners may go in a circle, and a chain of more than a few is a mistake.
    for (let depth = 0; depth < maxOwnerDepth && wanted.length > 0; depth += 1) {
      const found = (await store.findByUids({ ...place(cluster), uids: wanted })).filter(({ uid }) => !seen.has(uid));
      for (const { uid } of found) seen.add(uid);
      chain.push(...found);
      wanted = found.flatMap(({ owners }) => owners);
    }
    return chain;
  }

  async function kinds({ principal }: Asking): Promise<KindList> {
    const clusters = requests.listClusters({}, { principal });
    const all = [...gatherKinds(clusters.map((cluster) => cluster.kinds)).values()];
    const scopes = await findScopes({ access, principal, kinds: all, clusters, listNamespaces });
    const seen = scopes.filter((scope) => scope.clusters.length + scope.namespaces.size > 0);
    const counts = sumObjects(await store.count({ scopes: seen, conditions: [], by: ["kind"] }));
    return {
      items: seen
        .map(
          ({ kind, clusters: whole, namespaces }): KindEntry => ({
            ...{ kind: kind.kind, apiVersion: toKindTable(toShownKind(kind)).apiVersion, kindName: kind.kindName },
            ...{ namespaced: kind.namespaced, shortNames: [...kind.shortNames] },
            ...{ clusters: whole.length + namespaces.size, objects: counts.get(kind.kind) ?? 0 },
          }),
        )
        .sort((one, other) => (one.kind < other.kind ? -1 : 1)),
    };
  }

  async function count(query: RollupQuery, { principal }: Asking): Promise<RollupList> {
    const request = await requests.read(query, { principal });
    const by = (query.by ?? "kind").split(",") as ("kind" | "cluster" | "namespace")[];
    const { scopes, filter } = request;
    const rows = await store.count({ scopes, conditions: toConditions(filter), by });
    return { items: toRollups(rows, by), clusters: readAges(request) };
  }

  async function changes(query: ChangeQuery, { principal, nowMs }: Asking): Promise<ObjectChangeList> {
    const request = await requests.read(query, { principal });
    const order = readOrder("-changed");
    const limit = query.limit ?? defaultLimit;
    const after = query.cursor === undefined ? undefined : parseCursor(query.cursor, order);
    const since = query.since ?? new Date(nowMs - defaultSpanMs).toISOString();
    const conditions = [
      ...toConditions(request.filter),
      sql<boolean>`change <> 'forgotten'`,
      sql<boolean>`changed_at >= ${since}::timestamptz`,
      ...(query.until === undefined ? [] : [sql<boolean>`changed_at < ${query.until}::timestamptz`]),
      // What only reports how it is doing isn't what people ask for; that something was wanted meanwhile is.
      ...(query.status ? [] : [sql<boolean>`(change <> 'status' or spec_changed_at >= ${since}::timestamptz)`]),
    ];
    const rows = await store.list({
      ...{ scopes: request.scopes, conditions, order, after, limit: limit + 1, withDeleted: true },
    });
    const page = rows.slice(0, limit);
    const last = rows.length > limit ? page.at(-1) : undefined;
    const infos = new Map(request.kinds.map((info) => [info.kind, info]));
    return {
      items: page.map((row) => toObjectChange(row, infos.get(row.kind))),
      clusters: readAges(request),
      ...(last && { next: formatCursor({ order: order.name, values: last.position }) }),
    };
  }

  async function inventories(
    query: { readonly cluster?: string | undefined; readonly clusterSelector?: string | undefined },
    { principal }: Asking,
  ): Promise<ClusterInventoryList> {
    const clusters = requests.listClusters(query, { principal });
    // Sums over nodes and pods tell of all of them.
    const open = clusters.filter((one) => maySeeCapacity(one, { access, principal }));
    const facts = await inventory.facts(open.map(({ name }) => name));
    const workloads = [...gatherKinds(clusters.map((cluster) => cluster.kinds)).values()].filter(({ kind }) =>
      workloadKinds.has(kind),
    );
    const scopes = await findScopes({ access, principal, kinds: workloads, clusters, listNamespaces });
    const health = new Map(
      toRollups(await store.count({ scopes, conditions: [], by: ["cluster"] }), ["cluster"]).map((rollup) => [
        rollup.cluster,
        rollup.health,
      ]),
    );
    return {
      items: clusters
        .filter(({ name }) => isPresent(name))
        .map(({ name }) => {
          const known = facts.get(name);
          const version = options.kubernetesVersion(name);
          return {
            age: toDataAge(inventory.freshness(name)),
            ...(version !== undefined && { kubernetesVersion: version }),
            ...(known && { capacity: toCapacity(known) }),
            health: health.get(name) ?? {},
          };
        }),
    };
  }
}

function place({ name, kinds }: ClusterListing): { cluster: string; kinds: string[] } {
  return { cluster: name, kinds: kinds.map(({ kind }) => kind) };
}

/** What events name it by: kubelets put a node's name where the UID should be. */
function subjectsOf({ kind, uid, name }: ObjectRow): string[] {
  return kind === "nodes" ? [uid, name] : [uid];
}

function toRollups(rows: readonly CountRow[], by: readonly ("kind" | "cluster" | "namespace")[]): Rollup[] {
  const rollups = new Map<string, { -readonly [K in keyof Rollup]: Rollup[K] }>();
  for (const row of rows) {
    const key = JSON.stringify(by.map((column) => row[column]));
    const place = Object.fromEntries(by.map((column) => [column, row[column] ?? ""]));
    const rollup = rollups.get(key) ?? { ...place, objects: 0, health: {} };
    rollup.objects += Number(row.objects);
    if (row.health !== null) rollup.health = { ...rollup.health, [row.health as Health]: Number(row.objects) };
    rollups.set(key, rollup);
  }
  return [...rollups].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, rollup]) => rollup);
}

function sumObjects(rows: readonly CountRow[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { kind, objects } of rows) sums.set(kind ?? "", (sums.get(kind ?? "") ?? 0) + Number(objects));
  return sums;
}

const workloadKinds = new Set([
  "deployments.apps",
  "statefulsets.apps",
  "daemonsets.apps",
  "jobs.batch",
  "cronjobs.batch",
  "rollouts.argoproj.io",
]);
const defaultLimit = 100;
const defaultSpanMs = 3_600_000;
const maxOwnerDepth = 8;
