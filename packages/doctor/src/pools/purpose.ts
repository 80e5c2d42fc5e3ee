import type { PoolDemand, Profile } from "../profiles/index.ts";
import type { Amounts } from "./amounts.ts";
import { isGpuResource } from "./gpu-resources.ts";
import type { Purpose } from "./node-pool.ts";
import type { Requirement } from "./requirements.ts";
import { isHard, type Taint } from "./taints.ts";

export interface PurposeSigns {
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly requirements: readonly Requirement[];
  readonly allocatable: Amounts;
}

/** GPUs decide first: a pool that has some is for them, whatever else it is labelled for. */
export function purposeOf(signs: PurposeSigns, demands: Profile["nodePools"]): Purpose {
  if (hasGpus(signs)) return "gpu";
  if (isCritical(signs, demands.critical)) return "critical";
  return signs.taints.some(isHard) ? "other" : "default";
}

function hasGpus({ labels, taints, requirements, allocatable }: PurposeSigns): boolean {
  return (
    Object.entries(allocatable).some(([resource, amount]) => isGpuResource(resource) && amount > 0) ||
    taints.some(({ key }) => isGpuResource(key)) ||
    Object.keys(labels).some((key) => gpuLabels.includes(key)) ||
    requirements.some(
      ({ key, operator }) => gpuRequirements.test(key) && !["DoesNotExist", "NotIn", "Lt"].includes(operator),
    )
  );
}

const gpuLabels: readonly string[] = [
  "nvidia.com/gpu.deploy.operands",
  "nvidia.com/gpu.present",
  "cloud.google.com/gke-accelerator",
  "k8s.amazonaws.com/accelerator",
  "kubernetes.azure.com/accelerator",
];

/** `karpenter.k8s.aws/instance-gpu-count`, `eks.amazonaws.com/instance-gpu-name`, `karpenter.azure.com/sku-gpu-name`. */
const gpuRequirements = /\/(instance|sku)-(gpu|accelerator)-/;

/** The profile's mark, or those of providers: AKS' system pools, EKS Auto Mode's pool `system`. */
function isCritical({ labels, taints }: PurposeSigns, demand: PoolDemand | undefined): boolean {
  const isLabelled = Object.entries(demand?.labels ?? {}).some(([key, value]) => labels[key] === value);
  const isTainted = taints.some(
    (taint) =>
      taint.key === "CriticalAddonsOnly" ||
      demand?.taints.some(({ key, value }) => key === taint.key && (value === undefined || value === taint.value)),
  );
  return isLabelled || isTainted || labels["kubernetes.azure.com/mode"] === "system";
}
