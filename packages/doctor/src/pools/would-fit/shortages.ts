import { type Amounts, formatAmount, subtractAmounts } from "../amounts.ts";
import { isGpuResource } from "../gpu-resources.ts";
import type { PoolNode } from "../node.ts";
import type { NodePool } from "../node-pool.ts";
import { readUpperBound } from "../requirements.ts";
import type { FitConstraints, Misfit } from "./misfit.ts";

/** Which resources it lacks, and whether that is because of a node's size, a limit, or what runs there. */
export function findShortages(pool: NodePool, requests: Amounts, constraints: FitConstraints): Misfit[] {
  const nodes = pool.nodes.filter((node) => isWanted(node, constraints));
  const wanted = Object.entries(requests).filter(([, amount]) => amount > 0);
  const missing = wanted.flatMap(([resource, amount]) => tooLarge(pool, nodes, resource, amount));
  if (missing.length > 0) return missing;
  if (nodes.some((node) => hasRoom(node, requests))) return [];
  return blockedGrowth(pool, requests);
}

function isWanted({ labels, capacityType }: PoolNode, constraints: FitConstraints): boolean {
  const { architectures, capacityTypes, nodeSelector = {} } = constraints;
  return (
    (architectures?.includes(labels["kubernetes.io/arch"] ?? "") ?? true) &&
    (capacityTypes?.includes(capacityType) ?? true) &&
    Object.entries(nodeSelector).every(([key, value]) => labels[key] === value)
  );
}

function tooLarge(pool: NodePool, nodes: readonly PoolNode[], resource: string, amount: number): Misfit[] {
  if (isGpuResource(resource) && pool.purpose !== "gpu" && !isUnseen(pool)) {
    return [{ is: "no-such-resource", message: `It has no ${resource}.` }];
  }
  const largest = largestNode(pool, nodes, resource);
  if (largest === undefined || amount <= largest) return [];
  if (largest === 0) return [{ is: "no-such-resource", message: `None of its nodes has ${resource}.` }];
  const message = `The pod wants ${formatAmount(resource, amount)}; its largest node has ${formatAmount(resource, largest)}.`;
  return [{ is: "node-size", message }];
}

/** A group without nodes: nobody knows what its next node would be. */
const isUnseen = ({ source, nodes }: NodePool): boolean => source !== "karpenter" && nodes.length === 0;

/** Karpenter makes nodes of any size that its requirements let through; a group only what it has. */
function largestNode(
  { source, requirements }: NodePool,
  nodes: readonly PoolNode[],
  resource: string,
): number | undefined {
  if (source === "karpenter") {
    const bound = readUpperBound(requirements, sizeKeys[resource] ?? []);
    return bound === undefined ? undefined : bound * (resource === "memory" ? 2 ** 20 : 1);
  }
  return nodes.length === 0 ? undefined : Math.max(...nodes.map(({ allocatable }) => allocatable[resource] ?? 0));
}

/** Memory is in MiB there. */
const sizeKeys: Readonly<Record<string, readonly string[]>> = {
  cpu: ["karpenter.k8s.aws/instance-cpu", "eks.amazonaws.com/instance-cpu", "karpenter.azure.com/sku-cpu"],
  memory: ["karpenter.k8s.aws/instance-memory", "eks.amazonaws.com/instance-memory", "karpenter.azure.com/sku-memory"],
  "nvidia.com/gpu": [
    "karpenter.k8s.aws/instance-gpu-count",
    "eks.amazonaws.com/instance-gpu-count",
    "karpenter.azure.com/sku-gpu-count",
  ],
};

function hasRoom({ isReady, allocatable, requested = {} }: PoolNode, requests: Amounts): boolean {
  const free = subtractAmounts(allocatable, requested);
  return (
    isReady && Object.entries({ pods: 1, ...requests }).every(([resource, amount]) => amount <= (free[resource] ?? 0))
  );
}

function blockedGrowth({ growth, trouble, nodes }: NodePool, requests: Amounts): Misfit[] {
  if (trouble !== undefined) return [{ is: "trouble", message: `It can't make nodes: ${trouble}` }];
  switch (growth.is) {
    case "limits":
      return Object.entries(requests).flatMap(([resource, amount]) => {
        const limit = growth.limits[resource];
        const used = growth.used[resource] ?? 0;
        if (limit === undefined || used + amount <= limit) return [];
        const message = `Its limit is ${formatAmount(resource, limit)}, of which its nodes have ${formatAmount(resource, used)}.`;
        return [{ is: "limit" as const, message }];
      });
    case "nodes":
      if (growth.current < growth.max) return [];
      return [{ is: "limit", message: `Its nodes are full, and it has the ${growth.max} nodes that it may have.` }];
    case "unknown":
      return [{ is: "full", message: nodes.length === 0 ? "It has no nodes." : "No node has enough room left." }];
    default:
      return growth satisfies never;
  }
}
