// How many objects there are, of which kinds and how they are, over clusters.
import type { ClusterInventoryList, Health, KindList, Rollup, RollupList, RollupQuery } from "@fairlead/contract";
import type { Principal } from "../../people/access/index.ts";
import { type AgeReader, toDataAge } from "./ages.ts";
import { maySeeCapacity, toCapacity } from "./capacity.ts";
import { listKindEntries } from "./kind-entries.ts";
import type { RequestReader } from "./request.ts";
import { createSight, gatherScopes, type KindScope } from "./scope.ts";
import type { CountRow, ObjectQueries, StoreFor } from "./store.ts";
import type { Asking, ClusterListing, ObjectAccess, ObjectInventory } from "./types.ts";

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
  readonly store: Pick<ObjectQueries, "count">;
  readonly storeFor: StoreFor;
  readonly ages: AgeReader;
  readonly kubernetesVersion: (cluster: string) => string | undefined;
}): Rollups {
  const { access, inventory, requests, store, storeFor, ages, kubernetesVersion } = options;
  return { kinds, count, inventories };

  async function kinds({ principal }: Asking): Promise<KindList> {
    return {
      items: await listKindEntries({ access, store, clusters: requests.listClusters({}, { principal }), principal }),
    };
  }

  async function count(query: RollupQuery, { principal }: Asking): Promise<RollupList> {
    const request = await requests.read(query, { principal });
    const by = (query.by ?? "kind").split(",") as ("kind" | "cluster" | "namespace")[];
    const { scopes, filter } = request;
    const rows = await storeFor(principal, filter).count({ scopes, filter, by });
    return { items: toRollups(rows, by), clusters: ages.read(request) };
  }

  async function inventories(
    query: { readonly cluster?: string | undefined; readonly clusterSelector?: string | undefined },
    { principal }: Asking,
  ): Promise<ClusterInventoryList> {
    const clusters = requests.needClusters(query, { principal });
    // Sums over nodes and pods tell of all of them.
    const open = clusters.filter((one) => maySeeCapacity(one, { access, principal }));
    const facts = await inventory.facts(open.map(({ name }) => name));
    const scopes = findWorkloads(clusters, principal);
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

  function findWorkloads(clusters: readonly ClusterListing[], principal: Principal): KindScope[] {
    const scopes = gatherScopes();
    for (const { name, kinds: own } of clusters) {
      const see = createSight({ access, principal, cluster: name });
      for (const key of workloadKinds) {
        const kind = own.get(key);
        if (kind) scopes.add(name, key, see(kind));
      }
    }
    return scopes.list();
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

const workloadKinds = [
  "deployments.apps",
  "statefulsets.apps",
  "daemonsets.apps",
  "jobs.batch",
  "cronjobs.batch",
  "rollouts.argoproj.io",
];
