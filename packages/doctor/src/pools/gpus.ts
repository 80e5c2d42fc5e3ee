import { parseQuantity } from "@fairlead/kernel";
import type { Snapshot } from "../snapshot/index.ts";
import { isGpuResource, productLabels } from "./gpu-resources.ts";
import { type PoolNode, readNodes } from "./node.ts";

/** GPUs of one product that are handed out in one way. */
export interface GpuStock {
  readonly product: string;
  /** The resource that pods ask for: `nvidia.com/gpu`, `nvidia.com/mig-1g.5gb`. */
  readonly resource: string;
  readonly sharing: "none" | "time-slicing" | "mps" | "mig";
  /** Into how many shares each GPU is cut by time-slicing or MPS; 1 for whole ones. */
  readonly replicas: number;
  readonly memoryMib?: number;
  readonly nodes: readonly string[];
  readonly pools: readonly string[];
  /** Pieces of the resource, and how many of them no pod has; undefined where not all pods could be read. */
  readonly allocatable: number;
  readonly free: number | undefined;
}

/** Ordered by product and resource. A node that is labelled for a GPU and offers none is counted with 0. */
export function readGpus(snapshot: Snapshot): GpuStock[] {
  const pieces = readNodes(snapshot).flatMap((node) => resourcesOf(node).map((resource) => pieceOf(node, resource)));
  return [...Map.groupBy(pieces, ({ key }) => key)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, group]) => stockOf(group));
}

interface Piece {
  readonly key: string;
  readonly node: PoolNode;
  readonly stock: Pick<GpuStock, "product" | "resource" | "sharing" | "replicas" | "memoryMib">;
}

function resourcesOf(node: PoolNode): string[] {
  const offered = Object.entries(node.allocatable)
    .filter(([resource, amount]) => isGpuResource(resource) && amount > 0)
    .map(([resource]) => resource);
  if (offered.length > 0) return offered;
  return isLabelled(node) ? ["nvidia.com/gpu"] : [];
}

function isLabelled({ labels }: PoolNode): boolean {
  return (
    labels["nvidia.com/gpu.present"] === "true" || productLabels.slice(0, 2).some((key) => labels[key] !== undefined)
  );
}

function pieceOf(node: PoolNode, resource: string): Piece {
  const { labels } = node;
  const label = productLabels.find((key) => labels[key] !== undefined);
  // The operator appends how a GPU is shared: NVIDIA-A100-SXM4-40GB-MIG-1g.5gb, Tesla-T4-SHARED.
  const product = (label === undefined ? undefined : labels[label])?.replace(/-(SHARED|MIG-.*)$/, "") ?? resource;
  const sharing = sharingOf(labels, resource);
  const replicas = sharing === "none" || sharing === "mig" ? 1 : parseQuantity(labels["nvidia.com/gpu.replicas"]) || 1;
  const memoryMib = parseQuantity(labels["nvidia.com/gpu.memory"]);
  return {
    key: `${product} ${resource} ${sharing} ${replicas}`,
    node,
    stock: { product, resource, sharing, replicas, ...(memoryMib > 0 && { memoryMib }) },
  };
}

function sharingOf(labels: PoolNode["labels"], resource: string): GpuStock["sharing"] {
  if (resource.startsWith("nvidia.com/mig-")) return "mig";
  if (labels["cloud.google.com/gke-gpu-partition-size"] !== undefined) return "mig";
  const strategy = labels["nvidia.com/gpu.sharing-strategy"] ?? labels["cloud.google.com/gke-gpu-sharing-strategy"];
  if (strategy === "mps") return "mps";
  const isShared = parseQuantity(labels["nvidia.com/gpu.replicas"]) > 1 || resource === "nvidia.com/gpu.shared";
  return strategy === "time-slicing" || strategy === "time-sharing" || isShared ? "time-slicing" : "none";
}

function stockOf(group: readonly Piece[]): GpuStock[] {
  const [first] = group;
  if (!first) return [];
  const { resource } = first.stock;
  const nodes = group.map(({ node }) => node);
  const allocatable = nodes.reduce((sum, node) => sum + (node.allocatable[resource] ?? 0), 0);
  const requested = nodes.flatMap((node) => (node.requested ? [node.requested[resource] ?? 0] : []));
  return [
    {
      ...first.stock,
      nodes: nodes.map(({ name }) => name),
      pools: [...new Set(nodes.map(({ owner }) => owner.name))].toSorted(),
      allocatable,
      free:
        requested.length < nodes.length ? undefined : requested.reduce((rest, amount) => rest - amount, allocatable),
    },
  ];
}
