// Which clusters a question is about, of those that the caller may know of.
import type { ObjectFilter } from "@fairlead/contract";
import { matchesLabels } from "@fairlead/kernel";
import type { Principal } from "../../people/access/index.ts";
import { noClusterVisible, unknownCluster } from "./errors.ts";
import { parseLabelSelector } from "./label-selector.ts";
import type { ClusterNames, ObjectAccess } from "./types.ts";

export type ClusterFilter = Pick<ObjectFilter, "cluster" | "clusterSelector">;
export type NamedCluster = ReturnType<ClusterNames["list"]>[number];

export interface ClusterChoice {
  /** Clusters that the caller may know of. */
  readonly visible: readonly NamedCluster[];
  readonly chosen: readonly NamedCluster[];
}

/** Says the same of a cluster that isn't there and of one that the caller may not know of. */
export function chooseClusters(options: {
  readonly access: Pick<ObjectAccess, "may">;
  readonly clusters: Pick<ClusterNames, "list">;
  readonly principal: Principal;
  readonly filter: ClusterFilter;
  /** False: names that mean nothing choose nothing. True: throws OBJECTS_CLUSTER_UNKNOWN, OBJECTS_NO_CLUSTER_VISIBLE. */
  readonly isStrict: boolean;
}): ClusterChoice {
  const { access, clusters, principal, filter, isStrict } = options;
  const mayKnow = (cluster?: string): boolean => access.may(principal, { verb: "list", resource: "clusters", cluster });
  const visible = clusters.list().filter(({ name }) => mayKnow(name));
  // A caller who may know of all clusters is told that there are none.
  if (isStrict && visible.length === 0 && !mayKnow()) throw noClusterVisible(principal.name);
  const names = readNames(filter.cluster);
  const selector = filter.clusterSelector === undefined ? [] : parseLabelSelector(filter.clusterSelector);
  if (isStrict && names) {
    const known = new Set(visible.map(({ name }) => name));
    const unknown = [...names].filter((name) => !known.has(name));
    if (unknown.length > 0) throw unknownCluster(unknown);
  }
  const chosen = visible.filter(
    ({ name, labels }) => (names === undefined || names.has(name)) && matchesLabels(selector, labels),
  );
  return { visible, chosen };
}

function readNames(text: string | undefined): ReadonlySet<string> | undefined {
  return text === undefined ? undefined : new Set(text.split(",").map((one) => one.trim()));
}
