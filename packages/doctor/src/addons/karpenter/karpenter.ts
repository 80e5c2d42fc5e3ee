import type { Addon } from "../../catalogue/index.ts";
import type { Snapshot } from "../../snapshot/index.ts";
import { isInstalled } from "../is-installed.ts";
import { twoReplicasCheck } from "../two-replicas.ts";
import { judgeMonitoringAgent } from "./monitoring-agent.ts";
import { judgeNodeRepair } from "./node-repair.ts";

/** Its pools are judged with those of the cluster. */
export const karpenter: Addon = {
  id: "karpenter",
  title: "Karpenter",
  need: { eks: "essential", aks: "optional", generic: "optional" },
  signals: {
    resources: ["nodepools.karpenter.sh", "nodeclaims.karpenter.sh"],
    components: [{ name: "controller", isEssential: true, images: ["karpenter/controller"] }],
    providerManaged,
  },
  checks: [
    {
      id: "karpenter.node-repair",
      title: "Nodes that stay ill are replaced",
      why: "Node repair is an alpha feature that is off unless the gate `NodeRepair` is set. Without it a node whose GPU, disk or network failed keeps its pods.",
      severity: "recommended",
      features: ["node-repair"],
      appliesTo: isInstalled,
      judge: judgeNodeRepair,
    },
    {
      id: "karpenter.monitoring-agent",
      title: "An agent on each node tells Karpenter what is wrong",
      why: "Without the node monitoring agent, repair reacts to nothing but a kubelet that went silent.",
      severity: "recommended",
      features: ["node-repair"],
      appliesTo: (input) => isInstalled(input) && runsAtAws(input.snapshot),
      judge: judgeMonitoringAgent,
    },
    twoReplicasCheck({
      addon: "karpenter",
      chart: "karpenter",
      values: { replicas: 2 },
      features: ["node-provisioning"],
    }),
  ],
  unlocks: ["node-provisioning", "node-repair"],
  install: {
    chart: "karpenter",
    repository: "oci://public.ecr.aws/karpenter",
    version: "1.5.0",
    versionRange: ">=1.1.0 <2.0.0",
    isVersionOfProgram: true,
    namespace: "kube-system",
    release: "karpenter",
    order: -2,
    after: [],
    values: () => ({ replicas: 2, settings: { featureGates: { nodeRepair: true } } }),
  },
};

/** Names the provider that runs it. Throws where Deployments are hidden: one of them could be the controller. */
function providerManaged(snapshot: Snapshot): string | undefined {
  if (snapshot.isServed("nodepools.karpenter.sh") !== "yes") return undefined;
  snapshot.list("deployments.apps");
  if (snapshot.isServed("nodeclasses.eks.amazonaws.com") === "yes") return "EKS Auto Mode";
  if (snapshot.isServed("aksnodeclasses.karpenter.azure.com") === "yes") return "AKS node auto-provisioning";
  return undefined;
}

function runsAtAws(snapshot: Snapshot): boolean {
  return snapshot.isServed("ec2nodeclasses.karpenter.k8s.aws") !== "no";
}
