import { Fields } from "@fairlead/kernel";
import type { Addon } from "../catalogue/index.ts";
import { type CheckInput, few, pass, type Verdict, warn } from "../checks/index.ts";
import { type ClusterObject, listByName, refTo, runningOf } from "../snapshot/index.ts";
import { monitoringAgentImage } from "./monitoring-agent-image.ts";

export const nodeMonitoringAgent: Addon = {
  id: "node-monitoring-agent",
  title: "EKS node monitoring agent",
  need: { eks: "optional" },
  signals: {
    resources: ["nodediagnostics.eks.amazonaws.com"],
    components: [{ name: "agent", isEssential: true, images: [monitoringAgentImage] }],
    providerManaged: (snapshot) => {
      if (snapshot.isServed("nodeclasses.eks.amazonaws.com") !== "yes") return undefined;
      snapshot.list("daemonsets.apps");
      return "EKS Auto Mode";
    },
  },
  checks: [
    {
      id: "node-monitoring-agent.conditions",
      title: "Nodes say what the agent saw",
      why: "Repair acts on the conditions that the agent writes. A node without them is watched by its kubelet alone.",
      severity: "recommended",
      features: ["node-repair"],
      judge: judgeConditions,
    },
  ],
  unlocks: ["node-repair"],
  install: {
    chart: "eks-node-monitoring-agent",
    repository: "https://aws.github.io/eks-node-monitoring-agent",
    version: "1.5.1",
    versionRange: ">=1.0.0 <2.0.0",
    namespace: "kube-system",
    release: "eks-node-monitoring-agent",
    order: -2,
    after: [],
    values: () => ({}),
  },
};

const written = ["ContainerRuntimeReady", "KernelReady", "NetworkingReady", "StorageReady"];

function judgeConditions({ snapshot }: CheckInput): Verdict {
  const nodes = listByName(snapshot, "nodes").filter(isWatched);
  const unwritten = nodes.filter((node) => !written.some((type) => new Fields(node).condition(type)));
  const silent = runningOf("nodes", unwritten);
  if (silent.length === 0) return pass(`${nodes.length} nodes say what the agent saw.`);
  return warn(
    `${silent.length} of ${nodes.length} nodes have no condition of the agent.`,
    few(silent).map((node) => ({
      object: refTo("nodes", node),
      path: "status.conditions",
      observed: "no condition of the agent",
      expected: written.join(", "),
    })),
  );
}

/** There is no agent for Windows, and none on Fargate. */
function isWatched(node: ClusterObject): boolean {
  const labels = new Fields(node).at("metadata", "labels");
  const isLinux = (labels.at("kubernetes.io/os").text() ?? "linux") === "linux";
  return isLinux && labels.at("eks.amazonaws.com/compute-type").text() !== "fargate";
}
