// What a filter comes to for one caller: which kinds of which clusters, and what of them may be seen.
import type { ObjectFilter } from "@fairlead/contract";
import type { Principal } from "../access/index.ts";
import type { KindInfo } from "../inventory/index.ts";
import { type Filter, readFilter } from "./filter.ts";
import { chooseKinds, gatherKinds } from "./kinds.ts";
import { matchesLabels, parseLabelSelector } from "./label-selector.ts";
import { findScopes, type KindScope } from "./scope.ts";
import type { ClusterListing, ClusterNames, ObjectAccess, ObjectInventory } from "./types.ts";

export interface ObjectRequest {
  readonly filter: Filter;
  readonly kinds: readonly KindInfo[];
  readonly clusters: readonly ClusterListing[];
  readonly scopes: readonly KindScope[];
}

export interface RequestReader {
  /** Throws OBJECTS_SELECTOR_INVALID, OBJECTS_KIND_UNKNOWN. */
  read(
    filter: ObjectFilter,
    options: { readonly principal: Principal; readonly verb?: "list" | "watch" },
  ): Promise<ObjectRequest>;
  /** Clusters that the caller may know of, by name. */
  listClusters(
    filter: Pick<ObjectFilter, "cluster" | "clusterSelector">,
    options: { readonly principal: Principal },
  ): ClusterListing[];
}

export function createRequestReader(options: {
  readonly access: ObjectAccess;
  readonly clusters: ClusterNames;
  readonly inventory: ObjectInventory;
  readonly listNamespaces: (cluster: string) => Promise<readonly string[]>;
}): RequestReader {
  const { access, clusters, inventory, listNamespaces } = options;
  return { read, listClusters };

  async function read(
    filter: ObjectFilter,
    { principal, verb = "list" }: { readonly principal: Principal; readonly verb?: "list" | "watch" },
  ): Promise<ObjectRequest> {
    const read = readFilter(filter);
    const chosen = listClusters(filter, { principal });
    // Names are resolved over all that the caller may know of: one that is only elsewhere is empty here, not unknown.
    const known = filter.cluster || filter.clusterSelector ? listClusters({}, { principal }) : chosen;
    const kinds = chooseKinds(gatherKinds([...chosen, ...known].map(({ kinds: own }) => own)), filter.kind);
    const scopes = await findScopes({ access, principal, kinds, clusters: chosen, listNamespaces, verb });
    return { filter: read, kinds, clusters: chosen, scopes };
  }

  function listClusters(
    filter: Pick<ObjectFilter, "cluster" | "clusterSelector">,
    { principal }: { readonly principal: Principal },
  ): ClusterListing[] {
    const names =
      filter.cluster === undefined ? undefined : new Set(filter.cluster.split(",").map((one) => one.trim()));
    const selector = filter.clusterSelector === undefined ? [] : parseLabelSelector(filter.clusterSelector);
    return clusters
      .list()
      .filter(({ name, labels }) => (names === undefined || names.has(name)) && matchesLabels(selector, labels))
      .filter(({ name }) => access.may(principal, { verb: "list", resource: "clusters", cluster: name }))
      .map(({ name, labels }) => ({ name, labels, kinds: inventory.kinds(name) }));
  }
}
