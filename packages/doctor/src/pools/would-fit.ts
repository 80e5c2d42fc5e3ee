import { type Amounts, formatAmount, subtractAmounts } from "./amounts.ts";
import { isGpuResource, isSameProduct, productLabels } from "./gpu-resources.ts";
import type { PoolNode } from "./node.ts";
import type { NodePool } from "./node-pool.ts";
import { admits, readUpperBound } from "./requirements.ts";
import { formatTaint, isHard, type Taint, type Toleration, tolerates } from "./taints.ts";

export interface FitQuestion {
  readonly pools: readonly NodePool[];
  /** Of one pod: cores, bytes, pieces. */
  readonly requests: Amounts;
  readonly constraints?: FitConstraints;
}

export interface FitConstraints {
  /** Left out: any. */
  readonly architectures?: readonly string[];
  readonly capacityTypes?: readonly string[];
  readonly gpuProduct?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly Toleration[];
}

export interface Fit {
  readonly pool: string;
  readonly fits: boolean;
  /** Each reason for which it doesn't. */
  readonly misfits: readonly Misfit[];
}

export interface Misfit {
  readonly is:
    | "taint"
    | "architecture"
    | "capacity-type"
    | "label"
    | "gpu-type"
    | "no-such-resource"
    | "node-size"
    | "limit"
    | "full"
    | "trouble";
  readonly message: string;
}

/** For each pool, whether one such pod would find a place there, on a node that is there or one that would be made. */
export function wouldFit({ pools, requests, constraints = {} }: FitQuestion): Fit[] {
  return pools.map((pool) => {
    const misfits = [...findRefusals(pool, constraints), ...findShortages(pool, requests, constraints)];
    return { pool: pool.name, fits: misfits.length === 0, misfits };
  });
}

/** What the pool refuses, whatever room it has. */
function findRefusals(pool: NodePool, constraints: FitConstraints): Misfit[] {
  const { architectures, capacityTypes, tolerations = [], gpuProduct } = constraints;
  return [
    ...pool.taints.filter((taint) => isHard(taint) && !tolerates(tolerations, taint)).map(taintMisfit),
    ...refusedTrait("architecture", architectures, pool.architectures.values),
    ...refusedTrait("capacity-type", capacityTypes, pool.capacityTypes.values),
    ...Object.entries(constraints.nodeSelector ?? {}).flatMap(([key, value]) => refusedLabel(pool, key, value)),
    ...(gpuProduct === undefined ? [] : refusedProduct(pool, gpuProduct)),
  ];
}

const taintMisfit = (taint: Taint): Misfit => ({
  is: "taint",
  message: `The pod doesn't tolerate the taint ${formatTaint(taint)}.`,
});

function refusedTrait(
  is: "architecture" | "capacity-type",
  wanted: readonly string[] | undefined,
  offered: readonly string[],
): Misfit[] {
  // A group without nodes says nothing about them.
  if (!wanted || offered.length === 0 || offered.some((value) => wanted.includes(value))) return [];
  return [{ is, message: `It has ${offered.join(", ")} and not ${wanted.join(" or ")}.` }];
}

function refusedLabel(pool: NodePool, key: string, value: string): Misfit[] {
  if (pool.labels[key] === value || pool.nodes.some(({ labels }) => labels[key] === value)) return [];
  const own = pool.requirements.filter((requirement) => requirement.key === key);
  const isKarpenterWide = pool.source === "karpenter" && pool.labels[key] === undefined && isWellKnown(key);
  if (pool.labels[key] === undefined && own.length > 0 && own.every((requirement) => admits(requirement, value)))
    return [];
  if (isKarpenterWide && own.length === 0) return [];
  if (pool.growth.is === "nodes" && pool.nodes.length === 0) return [];
  return [{ is: "label", message: `Its nodes don't have the label ${key}=${value}.` }];
}

/** Labels that Karpenter gives nodes without being asked. */
function isWellKnown(key: string): boolean {
  return (
    /^(kubernetes\.io|node\.kubernetes\.io|topology\.kubernetes\.io|karpenter\.sh)\//.test(key) || cloudLabels.test(key)
  );
}

const cloudLabels = /^(karpenter\.k8s\.aws|karpenter\.azure\.com|eks\.amazonaws\.com|topology\.[a-z0-9.]+)\//;

function refusedProduct(pool: NodePool, wanted: string): Misfit[] {
  const offered = productsOf(pool);
  if (offered.length === 0 || offered.some((product) => isSameProduct(wanted, product))) return [];
  return [{ is: "gpu-type", message: `Its GPUs are ${offered.join(", ")} and not ${wanted}.` }];
}

function productsOf({ nodes, requirements, labels }: NodePool): string[] {
  const named = requirements.flatMap(({ key, operator, values }) =>
    operator === "In" && productLabels.includes(key) ? values : [],
  );
  const found = [labels, ...nodes.map((node) => node.labels)].flatMap((each) => {
    const label = productLabels.find((key) => each[key] !== undefined);
    return (label !== undefined && each[label]) || [];
  });
  return [...new Set([...named, ...found])].toSorted();
}

/** Which resources it lacks, and whether that is because of a node's size, a limit, or what runs there. */
function findShortages(pool: NodePool, requests: Amounts, constraints: FitConstraints): Misfit[] {
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
