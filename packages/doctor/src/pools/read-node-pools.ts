import type { Profile } from "../profiles/index.ts";
import type { Snapshot } from "../snapshot/index.ts";
import { readAutoscalerGroups } from "./autoscaler-groups.ts";
import { karpenterNodePools, readKarpenterPools } from "./karpenter-pools.ts";
import { readNodes } from "./node.ts";
import { readNodeGroupPools } from "./node-group-pools.ts";
import type { NodePool } from "./node-pool.ts";

/** All pools that were seen, ordered by name. What a profile demands says which of them is the critical one. */
export function readNodePools(snapshot: Snapshot, demands: Profile["nodePools"] = {}): NodePool[] {
  const nodes = readNodes(snapshot);
  const karpenter = readKarpenterPools(snapshot, nodes, demands);
  const known = new Set(karpenter.map(({ name }) => name));
  // Nodes of a NodePool that is gone, or hidden, are a pool by their label.
  const others = nodes.filter(({ owner }) => owner.source !== "karpenter" || !known.has(owner.name));
  const groups = readNodeGroupPools(others, readAutoscalerGroups(snapshot), demands);
  return [...karpenter, ...groups].toSorted((a, b) => compare(a.name, b.name) || compare(a.source, b.source));
}

/**
 * All pools of the cluster.
 * @throws {FairleadError} `DOCTOR_HIDDEN` when some may be missing.
 */
export function readAllNodePools(snapshot: Snapshot, demands: Profile["nodePools"]): NodePool[] {
  for (const resource of ["nodes", karpenterNodePools]) snapshot.list(resource);
  return readNodePools(snapshot, demands);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
