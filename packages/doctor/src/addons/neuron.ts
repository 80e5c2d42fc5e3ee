import { Fields } from "@fairlead/kernel";
import type { Addon } from "../catalogue/index.ts";
import type { CheckInput, Verdict } from "../checks/index.ts";
import { type ClusterObject, listByName } from "../snapshot/index.ts";
import { judgeAllocatable } from "./judge-allocatable.ts";

export const neuron: Addon = {
  id: "neuron",
  title: "AWS Neuron device plugin",
  need: { eks: "optional" },
  signals: {
    resources: [],
    components: [{ name: "device-plugin", isEssential: true, images: ["neuron-device-plugin"] }],
  },
  checks: [
    {
      id: "neuron.allocatable",
      title: "Each node with Neuron devices offers them",
      why: "Pods ask for `aws.amazon.com/neuron` or `aws.amazon.com/neuroncore`. A node of an Inferentia or Trainium type that offers none runs nothing that needs them.",
      severity: "required",
      features: ["neuron"],
      judge: judgeDevices,
    },
  ],
  unlocks: ["neuron"],
  install: {
    chart: "neuron-helm-chart",
    repository: "oci://public.ecr.aws/neuron",
    version: "1.0.0",
    versionRange: ">=1.0.0 <2.0.0",
    namespace: "kube-system",
    release: "neuron",
    order: 0,
    after: [],
    values: () => ({}),
  },
};

function judgeDevices({ snapshot }: CheckInput): Verdict {
  const nodes = listByName(snapshot, "nodes").filter(isOfNeuronType);
  const idle = nodes.filter((node) => countDevices(node) === 0);
  const words = { nodes: "nodes", all: "their Neuron devices", none: "no Neuron device" };
  return judgeAllocatable({ nodes, idle, resource: "aws.amazon.com/neuron", words });
}

function isOfNeuronType(node: ClusterObject): boolean {
  const type = new Fields(node).at("metadata", "labels", "node.kubernetes.io/instance-type").text() ?? "";
  return /^(inf|trn)\d/.test(type);
}

function countDevices(node: ClusterObject): number {
  return new Fields(node)
    .at("status", "allocatable")
    .entries()
    .filter(([name]) => /^aws\.amazon\.com\/neuron(core|device)?$/.test(name))
    .reduce((sum, [, value]) => sum + (Number(value.scalar()) || 0), 0);
}
