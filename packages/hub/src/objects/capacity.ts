import type { ClusterCapacity } from "@fairlead/contract";
import type { ClusterFacts } from "../inventory/index.ts";

export function toCapacity(facts: ClusterFacts): ClusterCapacity {
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
