import { expect, test } from "vitest";
import { clusterOf } from "../../testing/stand-ins.fixture.ts";
import { readNodePools } from "../read-node-pools.ts";
import type { FitConstraints } from "./misfit.ts";
import { wouldFit } from "./would-fit.ts";

const Gi = 2 ** 30;
const gpuToleration = [{ key: "nvidia.com/gpu", operator: "Exists" }];
const gpu = { cpu: 1, memory: Gi, "nvidia.com/gpu": 1 };

test.each<[string, Record<string, number>, FitConstraints, string, string[]]>([
  ["a small pod fits a default pool", { cpu: 1, memory: Gi }, {}, "default-nodepool", []],
  ["a taint keeps it out of the critical pool", { cpu: 1 }, {}, "critical-nodepool", ["taint"]],
  ["a larger pod than any node", { cpu: 33 }, {}, "default-nodepool", ["node-size"]],
  ["more than the limit leaves", { memory: 750 * Gi }, {}, "default-nodepool", ["limit"]],
  ["another architecture", { cpu: 1 }, { architectures: ["arm64"] }, "default-nodepool", ["architecture"]],
  ["either architecture", { cpu: 1 }, { architectures: ["arm64", "amd64"] }, "default-nodepool", []],
  [
    "spot alone, on an on-demand pool",
    { cpu: 1 },
    { capacityTypes: ["spot"], tolerations: [{ operator: "Exists" }] },
    "critical-nodepool",
    ["capacity-type"],
  ],
  ["a GPU, without the toleration", gpu, {}, "gpu-nodepool", ["taint"]],
  ["a GPU of the pool's limit", gpu, { tolerations: gpuToleration }, "gpu-nodepool", []],
  ["a GPU that the pool offers", gpu, { tolerations: gpuToleration, gpuProduct: "L4" }, "gpu-nodepool", []],
  ["a GPU that the pool lacks", gpu, { tolerations: gpuToleration, gpuProduct: "H100" }, "gpu-nodepool", ["gpu-type"]],
  ["more GPUs than a node has", { "nvidia.com/gpu": 8 }, { tolerations: gpuToleration }, "gpu-nodepool", ["node-size"]],
  ["a GPU in a pool without", gpu, {}, "default-nodepool", ["no-such-resource"]],
  [
    "a label that Karpenter gives",
    { cpu: 1 },
    { nodeSelector: { "topology.kubernetes.io/zone": "a" } },
    "default-nodepool",
    [],
  ],
  ["a label that nothing gives", { cpu: 1 }, { nodeSelector: { team: "a" } }, "default-nodepool", ["label"]],
])("Karpenter: %s", (_, requests, constraints, name, expected) => {
  expect(misfits("pools/karpenter-aws", name, requests, constraints)).toEqual(expected);
});

test.each<[string, Record<string, number>, FitConstraints, string, string[]]>([
  ["a pod that a node has room for", { cpu: 2 }, {}, "m1", []],
  ["a pod that no node is large enough for", { cpu: 5 }, {}, "m1", ["node-size"]],
  ["a GPU where there is none", gpu, {}, "m1", ["no-such-resource"]],
  ["the product by its short name", gpu, { gpuProduct: "h100", tolerations: gpuToleration }, "gpu-box", []],
  ["a product with a similar name", gpu, { gpuProduct: "h10", tolerations: gpuToleration }, "gpu-box", ["gpu-type"]],
  [
    "a taint of another value",
    { cpu: 1 },
    { tolerations: [{ key: "nvidia.com/gpu", value: "no" }] },
    "gpu-box",
    ["taint"],
  ],
  ["the control plane's taint", { cpu: 1 }, {}, "control-plane", ["taint"]],
])("machines without a pool: %s", (_, requests, constraints, name, expected) => {
  expect(misfits("pools/generic", name, requests, constraints)).toEqual(expected);
});

test("each reason is a sentence", () => {
  const pools = readNodePools(clusterOf("pools/karpenter-aws"));
  const requests = { cpu: 1, memory: Gi, "nvidia.com/gpu": 4 };
  const constraints = { gpuProduct: "H100", architectures: ["arm64"] };
  const fit = wouldFit({ pools, requests, constraints }).find(({ pool }) => pool === "gpu-nodepool");
  expect(fit).toEqual({
    pool: "gpu-nodepool",
    fits: false,
    misfits: [
      { is: "taint", message: "The pod doesn't tolerate the taint nvidia.com/gpu:NoSchedule." },
      { is: "architecture", message: "It has amd64 and not arm64." },
      { is: "gpu-type", message: "Its GPUs are NVIDIA-A10G, a10g, l4 and not H100." },
      { is: "limit", message: "Its limit is 4 nvidia.com/gpu, of which its nodes have 1 nvidia.com/gpu." },
    ],
  });
});

function misfits(path: string, name: string, requests: Record<string, number>, constraints: FitConstraints): string[] {
  const pools = readNodePools(clusterOf(path));
  const fit = wouldFit({ pools, requests, constraints }).find(({ pool }) => pool === name);
  expect(fit?.fits).toBe(fit?.misfits.length === 0);
  return fit?.misfits.map(({ is }) => is) ?? ["no such pool"];
}
