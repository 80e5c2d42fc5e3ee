// Says whose cluster it is by things that only the provider writes: labels of nodes first, then versions and machines of
// nodes, then resources that its control plane brings. A cloud's machines alone say nothing: people run clusters of their
// own on them.
import { Fields } from "@fairlead/kernel";
import { type ClusterObject, type Evidence, refTo, type Snapshot } from "../snapshot/index.ts";
import type { ClusterType } from "./cluster-type.ts";

export interface TypeFinding {
  readonly type: ClusterType;
  readonly isOverridden: boolean;
  readonly evidence: readonly Evidence[];
  /** Why a type that leaves signs could have been missed; left out when all was seen. */
  readonly doubt?: string;
}

export function findClusterType(snapshot: Snapshot): TypeFinding {
  // OpenShift runs on all clouds, so it is asked first.
  const openShift = findServed(snapshot, [["openshift", "clusterversions.config.openshift.io"]]);
  if (openShift) return openShift;
  const nodes = snapshot.listSeen("nodes").toSorted((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1));
  for (const sign of signs) {
    const node = nodes.find((each) => observe(each, sign) !== undefined);
    if (node) return found(sign.type, toEvidence(node, sign));
  }
  const served = findServed(snapshot, providerResources);
  if (served) return served;
  const bare = { type: "generic", isOverridden: false, evidence: [] } as const;
  return snapshot.isWhole("nodes") ? bare : { ...bare, doubt: "Not all nodes could be read." };
}

interface Sign {
  readonly type: ClusterType;
  readonly path: readonly string[];
  /** A part of the value. Without it, any value. */
  readonly holds?: string;
}

const label = (name: string): readonly string[] => ["metadata", "labels", name];
const kubeletVersion = ["status", "nodeInfo", "kubeletVersion"];
const machine = ["spec", "providerID"];

const signs: readonly Sign[] = [
  { type: "openshift", path: label("node.openshift.io/os_id") },
  { type: "eks", path: label("eks.amazonaws.com/nodegroup") },
  { type: "eks", path: label("eks.amazonaws.com/compute-type") },
  { type: "gke", path: label("cloud.google.com/gke-nodepool") },
  { type: "aks", path: label("kubernetes.azure.com/cluster") },
  { type: "aks", path: label("kubernetes.azure.com/agentpool") },
  { type: "oke", path: label("oke.oraclecloud.com/pool.name") },
  { type: "eks", path: kubeletVersion, holds: "-eks-" },
  { type: "gke", path: kubeletVersion, holds: "-gke." },
  { type: "gke", path: machine, holds: "/gke-" },
  { type: "aks", path: machine, holds: "/virtualMachineScaleSets/aks-" },
  { type: "oke", path: machine, holds: "ocid1." },
  { type: "eks", path: label("karpenter.k8s.aws/ec2nodeclass") },
];

/** Where no node is seen, or none runs: an Auto Mode cluster without workloads has none. */
const providerResources: readonly (readonly [ClusterType, string])[] = [
  ["eks", "nodeclasses.eks.amazonaws.com"],
  ["eks", "cninodes.vpcresources.k8s.aws"],
  ["gke", "managedcertificates.networking.gke.io"],
  ["gke", "updateinfos.nodemanagement.gke.io"],
  ["aks", "aksnodeclasses.karpenter.azure.com"],
  ["aks", "nodenetworkconfigs.acn.azure.com"],
  ["oke", "nativepodnetworks.oci.oraclecloud.com"],
];

function findServed(
  snapshot: Snapshot,
  candidates: readonly (readonly [ClusterType, string])[],
): TypeFinding | undefined {
  const served = candidates.find(([, resource]) => snapshot.isServed(resource) === "yes");
  if (!served) return undefined;
  const [type, resource] = served;
  return found(type, {
    object: { resource: "customresourcedefinitions.apiextensions.k8s.io", name: resource },
    path: "spec.group",
    observed: resource.slice(resource.indexOf(".") + 1),
    expected: `an API of ${type}`,
  });
}

function observe(node: ClusterObject, { path, holds }: Sign): string | undefined {
  const value = new Fields(node).at(...path).text();
  return holds === undefined || value?.includes(holds) ? value : undefined;
}

function toEvidence(node: ClusterObject, sign: Sign): Evidence {
  const [top, , name] = sign.path;
  return {
    object: refTo("nodes", node),
    path: top === "metadata" ? `metadata.labels["${name}"]` : sign.path.join("."),
    observed: observe(node, sign) ?? "",
    expected: `a node of ${sign.type}`,
  };
}

function found(type: ClusterType, evidence: Evidence): TypeFinding {
  return { type, isOverridden: false, evidence: [evidence] };
}
