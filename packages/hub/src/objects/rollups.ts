// How many objects there are, of which kinds and how they are, over clusters.
import type {
  ClusterInventoryList,
  Health,
  KindInfo as KindEntry,
  KindList,
  Rollup,
  RollupList,
  RollupQuery,
} from "@fairlead/contract";
import { type AgeReader, toDataAge } from "./ages.ts";
import { maySeeCapacity, toCapacity } from "./capacity.ts";
import { gatherKinds } from "./kinds.ts";
import type { RequestReader } from "./request.ts";
import { findScopes } from "./scope.ts";
import { toKindTable, toShownKind } from "./show.ts";
import type { CountRow, ObjectStore } from "./store.ts";
import type { Asking, ObjectAccess, ObjectInventory } from "./types.ts";

export interface Rollups {
  kinds(asking: Asking): Promise<KindList>;
  count(query: RollupQuery, asking: Asking): Promise<RollupList>;
  inventories(
    query: { readonly cluster?: string | undefined; readonly clusterSelector?: string | undefined },
    asking: Asking,
  ): Promise<ClusterInventoryList>;
}

export function createRollups(options: {
  readonly access: ObjectAccess;
  readonly inventory: Pick<ObjectInventory, "freshness" | "facts">;
  readonly requests: RequestReader;
  readonly store: Pick<ObjectStore, "count">;
  readonly ages: AgeReader;
  readonly listNamespaces: (cluster: string) => Promise<readonly string[]>;
  readonly kubernetesVersion: (cluster: string) => string | undefined;
}): Rollups {
  const { access, inventory, requests, store, ages, listNamespaces, kubernetesVersion } = options;
  return { kinds, count, inventories };

  async function kinds({ principal }: Asking): Promise<KindList> {
    const clusters = requests.listClusters({}, { principal });
    const all = [...gatherKinds(clusters.map((cluster) => cluster.kinds)).values()];
    const scopes = await findScopes({ access, principal, kinds: all, clusters, listNamespaces });
    const seen = scopes.filter((scope) => scope.clusters.length + scope.namespaces.size > 0);
    const counts = sumObjects(await store.count({ scopes: seen, by: ["kind"] }));
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
    const rows = await store.count({ scopes, filter, by });
    return { items: toRollups(rows, by), clusters: ages.read(request) };
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
      toRollups(await store.count({ scopes, by: ["cluster"] }), ["cluster"]).map((rollup) => [
        rollup.cluster,
        rollup.health,
      ]),
    );
    return {
      items: clusters
        .filter(({ name }) => ages.isPresent(name))
        .map(({ name }) => {
          const known = facts.get(name);
          const version = kubernetesVersion(name);
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
