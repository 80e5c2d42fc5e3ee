import type { ClusterObject } from "./cluster-object.ts";
import { isStored } from "./planned.ts";
import { isPlannedWorkload } from "./pods-of-templates.ts";

/**
 * The kinds that a folder said to be complete can't be complete about, each with the reason. Whoever dumps a cluster forgets
 * kinds; whoever renders files has none of those that only a running cluster makes.
 */
export function findForgotten(
  objects: readonly ClusterObject[],
  lists: ReadonlyMap<string, readonly ClusterObject[]>,
  whole: ReadonlySet<string>,
): Map<string, string> {
  if (objects.some(isStored)) return missing(ofEveryCluster, "the files hold none, and every cluster has some");
  if (!objects.some(isPlannedWorkload)) return new Map();
  return missing(ofRunningClusters, "the files hold what is planned, not what runs");

  function missing(kinds: readonly string[], why: string): Map<string, string> {
    const none = kinds.filter((resource) => !whole.has(resource) && (lists.get(resource) ?? []).length === 0);
    return new Map(none.map((resource) => [resource, why]));
  }
}

/** Kubernetes makes some of each by itself. */
const ofEveryCluster = [
  "apiservices.apiregistration.k8s.io",
  "clusterrolebindings.rbac.authorization.k8s.io",
  "clusterroles.rbac.authorization.k8s.io",
  "configmaps",
  "namespaces",
  "rolebindings.rbac.authorization.k8s.io",
  "roles.rbac.authorization.k8s.io",
  "serviceaccounts",
  "services",
];

const ofRunningClusters = ["endpointslices.discovery.k8s.io", "nodes", "persistentvolumes", "replicasets.apps"];
