/** Resources of nodes that stand for GPUs and other accelerators, whole ones, shares and slices. */
export function isGpuResource(resource: string): boolean {
  return (
    resource === "nvidia.com/gpu" ||
    resource === "nvidia.com/gpu.shared" ||
    resource.startsWith("nvidia.com/mig-") ||
    otherAccelerators.includes(resource)
  );
}

const otherAccelerators: readonly string[] = [
  "amd.com/gpu",
  "aws.amazon.com/neuron",
  "aws.amazon.com/neuroncore",
  "google.com/tpu",
  "gpu.intel.com/i915",
  "gpu.intel.com/xe",
  "habana.ai/gaudi",
];

/** The words of products' names, by which `a100` is found in `NVIDIA-A100-SXM4-80GB` and `nvidia-tesla-a100`. */
export function isSameProduct(wanted: string, product: string): boolean {
  const words = wordsOf(product);
  return wordsOf(wanted).every((word) => words.includes(word));
}

const wordsOf = (name: string): string[] =>
  name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "" && word !== "nvidia" && word !== "tesla");

/** How labels of nodes name the product; the first that is there. */
export const productLabels: readonly string[] = [
  "nvidia.com/gpu.product",
  "cloud.google.com/gke-accelerator",
  "karpenter.k8s.aws/instance-gpu-name",
  "eks.amazonaws.com/instance-gpu-name",
  "karpenter.azure.com/sku-gpu-name",
  "k8s.amazonaws.com/accelerator",
  "kubernetes.azure.com/accelerator",
  "karpenter.k8s.aws/instance-accelerator-name",
  "amd.com/gpu.product-name",
];
