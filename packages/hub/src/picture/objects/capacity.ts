import type { ClusterCapacity } from "@fairlead/contract";
import type { Principal } from "../../people/access/index.ts";
import type { ObservedFacts } from "../inventory/index.ts";
import { mayList } from "./scope.ts";
import type { ClusterListing, ObjectAccess } from "./types.ts";

/** Sums over nodes and pods tell of all of them. */
export function maySeeCapacity(
  { name, kinds }: Pick<ClusterListing, "name" | "kinds">,
  { access, principal }: { readonly access: Pick<ObjectAccess, "authorize">; readonly principal: Principal },
): boolean {
  return ["nodes", "pods"].every((key) => {
    const kind = kinds.get(key);
    return kind !== undefined && mayList({ access, principal, cluster: name, kind, namespace: "" });
  });
}

export function toCapacity(facts: ObservedFacts): ClusterCapacity {
  const { nodes, readyNodes, pods, podPhases, capacity, allocatable, requests } = facts;
  return {
    nodes,
    readyNodes,
    pods,
    runningPods: podPhases["Running"] ?? 0,
    podsAllocatable: allocatable.pods,
    cpuCapacity: capacity.cpuMillis / 1000,
    cpuAllocatable: allocatable.cpuMillis / 1000,
    cpuRequested: requests.cpuMillis / 1000,
    memoryCapacity: capacity.memoryBytes,
    memoryAllocatable: allocatable.memoryBytes,
    memoryRequested: requests.memoryBytes,
  };
}
