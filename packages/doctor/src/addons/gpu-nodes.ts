// Finds nodes with GPUs of NVIDIA, and checks them, no matter how the device plugin was installed.
import { Fields } from "@fairlead/kernel";
import { type Check, type CheckInput, type Fix, fail, few, pass, type Verdict, warn } from "../checks/index.ts";
import { workloadsOf } from "../detect/index.ts";
import { formatTaint, isHard, isPassing, readTaints, type Taint, type Toleration, tolerates } from "../pools/index.ts";
import { type ClusterObject, type Evidence, listByName, readTextMap, refTo } from "../snapshot/index.ts";
import type { Workload } from "../workloads/index.ts";
import { judgeAllocatable } from "./judge-allocatable.ts";

/** A driver is built and installed within some minutes after its node joined. */
const patienceMs = 15 * 60_000;

export interface GpuNodeChecksOptions {
  readonly addon: string;
  /** Makes the device plugin tolerate these, and what it tolerates already. */
  readonly tolerate: (input: CheckInput, plugin: Workload, tolerations: readonly Toleration[]) => Fix;
}

export function gpuNodeChecks(options: GpuNodeChecksOptions): readonly Check[] {
  const { addon } = options;
  return [
    {
      id: `${addon}.allocatable`,
      title: "Each GPU node offers its GPUs",
      why: "Pods ask for `nvidia.com/gpu`. A node that has a GPU and offers none, since its driver or its device plugin failed, costs money and runs nothing.",
      severity: "required",
      features: ["gpu"],
      judge: judgeGpus,
    },
    {
      id: `${addon}.node-labels`,
      title: "GPU nodes say which GPUs they have",
      why: "Workloads choose a GPU by the labels for product, memory and count.",
      severity: "recommended",
      features: ["gpu"],
      judge: judgeLabels,
    },
    {
      id: `${addon}.tolerations`,
      title: "The device plugin tolerates the taints of GPU nodes",
      why: "A node whose taint the device plugin doesn't tolerate never gets the plugin, and so offers no GPU. The taint `nvidia.com/gpu` comes with the value `true`, with `present` and with none.",
      severity: "required",
      features: ["gpu"],
      judge: (input) => judgeTolerations(input, options),
    },
  ];
}

function judgeGpus({ snapshot, now }: CheckInput): Verdict {
  const nodes = listByName(snapshot, "nodes").filter(hasGpuLabel);
  const idle = nodes.filter((node) => countGpus(node) === 0 && !isYoung(node, now));
  const words = { nodes: "GPU nodes", all: "their GPUs", none: "no GPU" };
  return judgeAllocatable({ nodes, idle, resource: "nvidia.com/gpu", words });
}

/** By the GPU operator, by node feature discovery, and by three providers. */
const gpuLabels: readonly (readonly [key: string, value: RegExp])[] = [
  ["nvidia.com/gpu.present", /^true$/],
  ["feature.node.kubernetes.io/pci-10de.present", /^true$/],
  ["cloud.google.com/gke-accelerator", /^nvidia-/],
  ["k8s.amazonaws.com/accelerator", /^nvidia/],
  ["kubernetes.azure.com/accelerator", /^nvidia$/],
];

function hasGpuLabel(node: ClusterObject): boolean {
  const labels = new Fields(node).at("metadata", "labels");
  return gpuLabels.some(([key, value]) => value.test(labels.at(key).text() ?? ""));
}

/** Whole GPUs, slices of them (MIG), and GPUs that pods share by turns. */
function countGpus(node: ClusterObject): number {
  return new Fields(node)
    .at("status", "allocatable")
    .entries()
    .filter(([name]) => /^nvidia\.com\/(gpu|mig-[\w.-]+?)(\.shared)?$/.test(name))
    .reduce((sum, [, value]) => sum + (Number(value.scalar()) || 0), 0);
}

function isYoung({ metadata }: ClusterObject, now: Date): boolean {
  return (
    metadata.creationTimestamp !== undefined && now.getTime() - Date.parse(metadata.creationTimestamp) < patienceMs
  );
}

/** Discovery's labels, or the provider's, which stands for all three. */
const productLabels = ["nvidia.com/gpu.product", "nvidia.com/gpu.memory", "nvidia.com/gpu.count"];
const providerLabels = ["cloud.google.com/gke-accelerator"];

function judgeLabels({ snapshot }: CheckInput): Verdict {
  const nodes = listByName(snapshot, "nodes").filter((node) => hasGpuLabel(node) && countGpus(node) > 0);
  const evidence = nodes.flatMap((node): Evidence[] => {
    const labels = new Fields(node).at("metadata", "labels");
    if (providerLabels.some((key) => labels.at(key).exists)) return [];
    const missing = productLabels.find((key) => !labels.at(key).exists);
    if (missing === undefined) return [];
    const path = `metadata.labels["${missing}"]`;
    return [{ object: refTo("nodes", node), path, observed: "nothing", expected: "a value" }];
  });
  if (evidence.length === 0) return pass(`${nodes.length} GPU nodes say which GPUs they have.`);
  return warn(`${evidence.length} GPU nodes don't say which GPUs they have.`, few(evidence));
}

function judgeTolerations(input: CheckInput, { tolerate }: GpuNodeChecksOptions): Verdict {
  const plugins = workloadsOf(input.installation, "device-plugin");
  const [plugin] = plugins;
  const shunned = listByName(input.snapshot, "nodes")
    .filter(hasGpuLabel)
    .flatMap((node) => {
      const taint = taintsOf(node).find((each) => !plugins.some((one) => tolerates(tolerationsOf(one), each)));
      return taint ? [{ node, taint }] : [];
    });
  if (!plugin || shunned.length === 0) return pass("The device plugin tolerates the taints of GPU nodes.");
  const expected = `a taint that ${plugin.ref.name} tolerates`;
  const taints = [...new Map(shunned.map(({ taint }) => [`${taint.key}:${taint.effect}`, taint])).values()];
  return fail(
    `The device plugin doesn't tolerate the taints of ${shunned.length} GPU nodes.`,
    few(shunned).map(({ node, taint }) => ({
      object: refTo("nodes", node),
      path: "spec.taints",
      observed: formatTaint(taint),
      expected,
    })),
    tolerate(input, plugin, [
      ...tolerationsOf(plugin),
      ...few(taints).map(({ key, effect }) => ({ key, operator: "Exists", effect })),
    ]),
  );
}

/** Those that keep pods away for good. */
function taintsOf(node: ClusterObject): Taint[] {
  return readTaints(new Fields(node).at("spec", "taints")).filter((taint) => isHard(taint) && !isPassing(taint));
}

function tolerationsOf({ object }: Workload): Toleration[] {
  const list = new Fields(object).at("spec", "template", "spec", "tolerations").list();
  return list.map((toleration) => readTextMap(toleration));
}
