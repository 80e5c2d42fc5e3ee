import { isSameProduct, productLabels } from "../gpu-resources.ts";
import type { NodePool } from "../node-pool.ts";
import { admits } from "../requirements.ts";
import { formatTaint, isHard, type Taint, tolerates } from "../taints.ts";
import type { FitConstraints, Misfit } from "./misfit.ts";

/** Finds the demands that the pool refuses, whatever room it has. */
export function findRefusals(pool: NodePool, constraints: FitConstraints): Misfit[] {
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
