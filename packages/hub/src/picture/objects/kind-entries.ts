// The kinds that clusters have, under the names that they go by there. Where clusters differ in what a kind is called, each
// way is an entry of its own.
import type { KindInfo as KindEntry } from "@fairlead/contract";
import type { Principal } from "../../people/access/index.ts";
import type { KindInfo } from "../inventory/index.ts";
import { createSight, gatherScopes } from "./scope.ts";
import { apiVersionOf } from "./show.ts";
import type { CountRow, ObjectQueries } from "./store.ts";
import type { ClusterListing, ObjectAccess } from "./types.ts";

export async function listKindEntries(options: {
  readonly access: ObjectAccess;
  readonly store: Pick<ObjectQueries, "count">;
  readonly clusters: readonly ClusterListing[];
  readonly principal: Principal;
}): Promise<KindEntry[]> {
  const { access, store, clusters, principal } = options;
  const scopes = gatherScopes();
  const ways = new Map<string, Map<string, { readonly info: KindInfo; readonly clusters: Set<string> }>>();
  for (const { name, kinds } of clusters) {
    const see = createSight({ access, principal, cluster: name });
    for (const info of kinds.values()) {
      const sight = see(info);
      if (sight.type === "none") continue;
      scopes.add(name, info.kind, sight);
      const ofKind = ways.get(info.kind) ?? new Map();
      ways.set(info.kind, ofKind);
      const way = describeNames(info);
      const found = ofKind.get(way) ?? { info, clusters: new Set<string>() };
      ofKind.set(way, found);
      found.clusters.add(name);
    }
  }
  const isDisputed = (kind: string): boolean => (ways.get(kind)?.size ?? 0) > 1;
  const all = scopes.list();
  const plain = await store.count({ scopes: all.filter(({ kind }) => !isDisputed(kind)), by: ["kind"] });
  const disputed = await store.count({ scopes: all.filter(({ kind }) => isDisputed(kind)), by: ["kind", "cluster"] });
  const counts = [...Map.groupBy([...plain, ...disputed], ({ kind }) => kind)];
  const countsOf = new Map(counts.map(([kind, rows]) => [kind ?? "", rows]));
  return [...ways.values()]
    .flatMap((ofKind) => [...ofKind.values()])
    .map((way) => toEntry(way, countsOf.get(way.info.kind) ?? []))
    .sort((one, other) => (one.kind < other.kind ? -1 : 1));
}

function toEntry(
  { info, clusters }: { readonly info: KindInfo; readonly clusters: ReadonlySet<string> },
  rows: readonly CountRow[],
): KindEntry {
  const { kind, kindName, namespaced, shortNames } = info;
  const own = rows.filter(({ cluster }) => typeof cluster !== "string" || clusters.has(cluster));
  const objects = own.reduce((sum, row) => sum + Number(row.objects), 0);
  const names = { kind, apiVersion: apiVersionOf(info), kindName, namespaced, shortNames: [...shortNames] };
  return { ...names, clusters: clusters.size, objects };
}

function describeNames({ version, kindName, namespaced, shortNames }: KindInfo): string {
  return JSON.stringify([version, kindName, namespaced, shortNames]);
}
