// Which pool a node belongs to. Each provider says so by a label or an annotation of its own.

export type PoolSource =
  | "karpenter"
  | "eks"
  | "gke"
  | "aks"
  | "openshift"
  | "oke"
  /** A group that only cluster-autoscaler names. */
  | "cluster-autoscaler"
  /** Nodes that nobody gave a pool. */
  | "nodes";

export interface NodeOwner {
  readonly source: PoolSource;
  readonly name: string;
}

type Texts = Readonly<Record<string, string>>;

export function ownerOfNode(labels: Texts, annotations: Texts): NodeOwner {
  for (const [label, source] of poolLabels) {
    const name = labels[label];
    if (name !== undefined && name !== "") return { source, name };
  }
  // OpenShift names the machine: `openshift-machine-api/east-worker-a-x7k2p`, of the MachineSet east-worker-a.
  const machine = annotations["machine.openshift.io/machine"];
  if (machine !== undefined) return { source: "openshift", name: nameOfSet(machine) };
  const okePool = annotations["oci.oraclecloud.com/node-pool-id"];
  if (okePool !== undefined) return { source: "oke", name: okePool };
  const machineSet = annotations["cluster.x-k8s.io/owner-name"];
  if (machineSet !== undefined) return { source: "nodes", name: machineSet };
  return { source: "nodes", name: nameOfStray(labels) };
}

const poolLabels: readonly (readonly [label: string, source: PoolSource])[] = [
  ["karpenter.sh/nodepool", "karpenter"],
  ["eks.amazonaws.com/nodegroup", "eks"],
  ["alpha.eksctl.io/nodegroup-name", "eks"],
  ["cloud.google.com/gke-nodepool", "gke"],
  ["kubernetes.azure.com/agentpool", "aks"],
  ["agentpool", "aks"],
  ["hypershift.openshift.io/nodePool", "openshift"],
  ["doks.digitalocean.com/node-pool", "nodes"],
  ["kubernetes.civo.com/civo-node-pool", "nodes"],
  ["lke.linode.com/pool-id", "nodes"],
  ["k8s.scaleway.com/pool-name", "nodes"],
  ["kops.k8s.io/instancegroup", "nodes"],
];

function nameOfSet(machine: string): string {
  return machine.slice(machine.indexOf("/") + 1).replace(/-(?:[a-z0-9]{5}|\d+)$/, "");
}

/** Nodes of one kind are taken together. */
function nameOfStray(labels: Texts): string {
  const roles = ["node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"];
  if (roles.some((role) => labels[role] !== undefined)) return "control-plane";
  return labels["node.kubernetes.io/instance-type"] ?? `nodes-${labels["kubernetes.io/arch"] ?? "unknown"}`;
}
