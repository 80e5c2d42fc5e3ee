import { Fields } from "@fairlead/kernel";
import { type ClusterObject, type Evidence, refTo, type Snapshot } from "../snapshot/index.ts";
import type { ClusterType } from "./cluster-type.ts";

export interface TypeFinding {
  readonly type: ClusterType;
  readonly isOverridden: boolean;
  readonly evidence: readonly Evidence[];
}

/** By what only the provider writes. OpenShift runs on all clouds, so it is asked first. */
export function findClusterType(snapshot: Snapshot): TypeFinding {
  if (snapshot.isServed("clusterversions.config.openshift.io") === "yes") return found("openshift", [openShift]);
  const nodes = snapshot.listSeen("nodes").toSorted((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1));
  for (const sign of signs) {
    const node = nodes.find((each) => observe(each, sign) !== undefined);
    if (node) return found(sign.type, [toEvidence(node, sign)]);
  }
  return found("generic", []);
}

interface Sign {
  readonly type: ClusterType;
  readonly path: readonly string[];
  /** Without it, any value. */
  readonly prefix?: string;
}

const label = (name: string): readonly string[] => ["metadata", "labels", name];

// Labels first: somebody may run a cluster of his own on a cloud's machines, which have the cloud's provider ids.
const signs: readonly Sign[] = [
  { type: "openshift", path: label("node.openshift.io/os_id") },
  { type: "eks", path: label("eks.amazonaws.com/nodegroup") },
  { type: "eks", path: label("eks.amazonaws.com/compute-type") },
  { type: "gke", path: label("cloud.google.com/gke-nodepool") },
  { type: "aks", path: label("kubernetes.azure.com/cluster") },
  { type: "aks", path: label("kubernetes.azure.com/agentpool") },
  { type: "oke", path: label("oke.oraclecloud.com/pool.name") },
  { type: "oke", path: ["spec", "providerID"], prefix: "ocid1." },
  { type: "eks", path: label("karpenter.k8s.aws/ec2nodeclass") },
];

function observe(node: ClusterObject, { path, prefix = "" }: Sign): string | undefined {
  const value = new Fields(node).at(...path).text();
  return value?.startsWith(prefix) ? value : undefined;
}

function toEvidence(node: ClusterObject, sign: Sign): Evidence {
  return {
    object: refTo("nodes", node),
    path: sign.path.length === 3 ? `metadata.labels["${sign.path[2]}"]` : sign.path.join("."),
    observed: observe(node, sign) ?? "",
    expected: `a node of ${sign.type}`,
  };
}

const openShift: Evidence = {
  object: { resource: "customresourcedefinitions.apiextensions.k8s.io", name: "clusterversions.config.openshift.io" },
  path: "spec.group",
  observed: "config.openshift.io",
  expected: "an API of OpenShift",
};

function found(type: ClusterType, evidence: readonly Evidence[]): TypeFinding {
  return { type, isOverridden: false, evidence };
}
