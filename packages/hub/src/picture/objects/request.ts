// A filter as it applies to one caller: which kinds of which clusters, and what of them may be seen.
import type { MissingKind, ObjectFilter } from "@fairlead/contract";
import type { Principal } from "../../people/access/index.ts";
import type { KindInfo } from "../inventory/index.ts";
import { type AskedKinds, askForKinds } from "./asked-kinds.ts";
import { type ClusterFilter, chooseClusters, type NamedCluster } from "./clusters.ts";
import { objectQueryInvalid } from "./errors.ts";
import { type Filter, readFilter } from "./filter.ts";
import { kindsOf, resolveKind } from "./kinds.ts";
import type { KindScope } from "./scope.ts";
import type { ClusterListing, ClusterNames, ObjectAccess, ObjectInventory } from "./types.ts";

export interface ObjectRequest {
  readonly filter: Filter;
  /** Keys of what is asked for; in each cluster it may be something else. */
  readonly kinds: ReadonlySet<string>;
  readonly clusters: readonly ClusterListing[];
  readonly scopes: readonly KindScope[];
  /** By cluster: kinds that were asked for by name and that the answer can't have. */
  readonly missing: ReadonlyMap<string, readonly MissingKind[]>;
  /** A kind as the cluster has it, if it is among what is asked of that cluster. */
  findKind(cluster: string, kind: string): KindInfo | undefined;
}

export interface RequestReader {
  /**
   * Throws OBJECTS_SELECTOR_INVALID, OBJECTS_CLUSTER_UNKNOWN, OBJECTS_NO_CLUSTER_VISIBLE, OBJECTS_KIND_UNKNOWN, and
   * OBJECTS_KIND_NOT_OBSERVED or OBJECTS_FORBIDDEN where nothing else is left to answer.
   */
  read(
    filter: ObjectFilter,
    options: { readonly principal: Principal; readonly verb?: "list" | "watch" },
  ): Promise<ObjectRequest>;
  /** True when the kind of this cluster is one that the filter names. */
  means(filter: Pick<ObjectFilter, "kind">, cluster: string, kind: string): boolean;
  /** A kind as the cluster has it. */
  findKind(cluster: string, kind: string): KindInfo | undefined;
  /** Clusters that the caller may know of, by name. */
  listClusters(filter: ClusterFilter, options: { readonly principal: Principal }): ClusterListing[];
  /** The same. Throws OBJECTS_CLUSTER_UNKNOWN, OBJECTS_NO_CLUSTER_VISIBLE. */
  needClusters(filter: ClusterFilter, options: { readonly principal: Principal }): ClusterListing[];
}

export function createRequestReader(options: {
  readonly access: ObjectAccess;
  readonly clusters: ClusterNames;
  readonly inventory: Pick<ObjectInventory, "kind" | "kinds">;
}): RequestReader {
  const { access, clusters, inventory } = options;
  return {
    read,
    listClusters: (filter, { principal }) => choose(filter, principal, false).chosen.map(toListing),
    needClusters: (filter, { principal }) => choose(filter, principal, true).chosen.map(toListing),
    means: ({ kind: names }, cluster, kind) =>
      names === undefined ||
      splitNames(names).some((name) => resolveKind(kindsOf(inventory, cluster), name)?.kind === kind),
    findKind: (cluster, kind) => kindsOf(inventory, cluster).get(kind),
  };

  async function read(
    filter: ObjectFilter,
    { principal, verb = "list" }: { readonly principal: Principal; readonly verb?: "list" | "watch" },
  ): Promise<ObjectRequest> {
    const parsed = readFilter(filter);
    const { visible, chosen } = choose(filter, principal, true);
    const listings = chosen.map(toListing);
    const others = (): Iterable<ClusterListing> => visible.filter((one) => !chosen.includes(one)).map(toListing);
    const names = filter.kind === undefined ? undefined : splitNames(filter.kind);
    const asked = askForKinds({ access, principal, verb, names, filter: parsed, clusters: listings, others });
    return { filter: parsed, clusters: listings, ...asked, findKind: (cluster, kind) => find(asked, cluster, kind) };
  }

  function choose(filter: ClusterFilter, principal: Principal, isStrict: boolean): ReturnType<typeof chooseClusters> {
    return chooseClusters({ access, clusters, principal, filter, isStrict });
  }

  function toListing({ name, labels }: NamedCluster): ClusterListing {
    return { name, labels, kinds: kindsOf(inventory, name) };
  }
}

function find({ byCluster }: AskedKinds, cluster: string, kind: string): KindInfo | undefined {
  return byCluster.get(cluster)?.get(kind);
}

/** Throws OBJECTS_QUERY_INVALID: each is looked for in every cluster. */
function splitNames(text: string): string[] {
  const names = new Set(text.split(",").map((one) => one.trim()));
  if (names.size > maxNames) throw objectQueryInvalid(`kind: more than ${maxNames} are too many`);
  return [...names];
}

const maxNames = 32;
