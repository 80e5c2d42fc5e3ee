import { Fields } from "@fairlead/kernel";
import type { Profile } from "../profiles/index.ts";
import { type ClusterObject, readTextMap, refTo, type Snapshot } from "../snapshot/index.ts";
import { readAmounts } from "./amounts.ts";
import type { PoolNode } from "./node.ts";
import type { NodePool } from "./node-pool.ts";
import { sumNodes } from "./node-sums.ts";
import { purposeOf } from "./purpose.ts";
import { type Requirement, readRequirements, readTrait } from "./requirements.ts";
import { readTaints } from "./taints.ts";

export const karpenterNodePools = "nodepools.karpenter.sh";

/** Karpenter's NodePools, with the nodes that each of them made. A pool without nodes is one all the same. */
export function readKarpenterPools(
  snapshot: Snapshot,
  nodes: readonly PoolNode[],
  demands: Profile["nodePools"],
): NodePool[] {
  const byPool = Map.groupBy(
    nodes.filter(({ owner }) => owner.source === "karpenter"),
    ({ owner }) => owner.name,
  );
  return snapshot
    .listSeen(karpenterNodePools)
    .map((object) => readPool(object, byPool.get(object.metadata.name) ?? [], demands));
}

function readPool(object: ClusterObject, nodes: readonly PoolNode[], demands: Profile["nodePools"]): NodePool {
  const fields = new Fields(object);
  const template = fields.at("spec", "template");
  const labels = readTextMap(template.at("metadata", "labels"));
  const taints = readTaints(template.at("spec", "taints"));
  const requirements = readRequirements(template.at("spec", "requirements"));
  const demanded = [...requirements, ...Object.entries(labels).map(toRequirement)];
  const sums = sumNodes(nodes);
  const ready = fields.condition("Ready");
  return {
    name: object.metadata.name,
    source: "karpenter",
    object: refTo(karpenterNodePools, object),
    purpose: purposeOf({ labels, taints, requirements, allocatable: sums.allocatable }, demands),
    architectures: readTrait(demanded, "kubernetes.io/arch", ["amd64", "arm64"]),
    capacityTypes: readTrait(demanded, "karpenter.sh/capacity-type", ["on-demand", "reserved", "spot"]),
    operatingSystems: readTrait(demanded, "kubernetes.io/os", ["linux", "windows"]),
    labels,
    taints,
    requirements,
    nodes,
    growth: {
      is: "limits",
      limits: readAmounts(fields.at("spec", "limits")),
      used: readAmounts(fields.at("status", "resources")),
    },
    ...sums,
    ...(ready && ready.status !== "True" && { trouble: ready.message ?? "it isn't ready" }),
  };
}

/** A label of the template binds nodes as a requirement does. */
function toRequirement([key, value]: readonly [string, string]): Requirement {
  return { key, operator: "In", values: [value] };
}
