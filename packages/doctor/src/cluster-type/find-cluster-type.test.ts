import { expect, test } from "vitest";
import { type ClusterObject, Snapshot, snapshotOfObjects } from "../snapshot/index.ts";
import { definitionOf } from "../testing/examine-addon.fixture.ts";
import { findClusterType } from "./find-cluster-type.ts";

const own = node("own", { spec: { providerID: "aws:///eu-west-1a/i-0a" } });

test.each([
  ["eks", "a managed node group", { labels: { "eks.amazonaws.com/nodegroup": "main" } }],
  ["eks", "Fargate", { labels: { "eks.amazonaws.com/compute-type": "fargate" } }],
  ["eks", "machines that people added themselves", { kubeletVersion: "v1.34.1-eks-113cf36" }],
  ["eks", "machines that Karpenter added", { labels: { "karpenter.k8s.aws/ec2nodeclass": "default" } }],
  ["gke", "a node pool", { labels: { "cloud.google.com/gke-nodepool": "main" } }],
  ["gke", "a version of Google's", { kubeletVersion: "v1.34.1-gke.1829001" }],
  ["gke", "a machine of a node pool", { providerID: "gce://shop/europe-west1-b/gke-shop-main-1a2b3c4d-abcd" }],
  ["aks", "a node pool", { labels: { "kubernetes.azure.com/cluster": "MC_shop" } }],
  [
    "aks",
    "a machine of a node pool",
    {
      providerID:
        "azure:///subscriptions/1/resourceGroups/mc_shop/providers/Microsoft.Compute/virtualMachineScaleSets/aks-main-1-vmss/virtualMachines/0",
    },
  ],
  ["oke", "a machine of Oracle's", { providerID: "ocid1.instance.oc1.iad.abc" }],
  ["openshift", "a node of Red Hat's", { labels: { "node.openshift.io/os_id": "rhcos" } }],
  ["generic", "a cluster of one's own on a cloud's machines", {}],
] as const)("%s: %s", (type, _name, sign: Parameters<typeof nodeWith>[0]) => {
  const finding = findClusterType(snapshotOfObjects({ objects: [own, nodeWith(sign)], isComplete: true }));
  expect(finding).toMatchObject({ type, isOverridden: false });
  expect(finding.evidence.map(({ object }) => object.name)).toEqual(type === "generic" ? [] : ["signed"]);
});

test("OpenShift on AWS is OpenShift", () => {
  const objects = [definitionOf("clusterversions.config.openshift.io", "Thing"), node("a", { labels: nodeGroup })];
  expect(findClusterType(snapshotOfObjects({ objects, isComplete: true })).type).toBe("openshift");
});

test.each([
  ["eks", "nodeclasses.eks.amazonaws.com"],
  ["gke", "managedcertificates.networking.gke.io"],
  ["aks", "nodenetworkconfigs.acn.azure.com"],
])("%s: where no node can be read, by %s", (type, resource) => {
  const objects = [definitionOf(resource, "Thing"), node("a", {})];
  const hidden = new Map([["nodes", "forbidden"]]);
  expect(findClusterType(snapshotOfObjects({ objects, isComplete: true, hidden }))).toMatchObject({
    type,
    evidence: [{ object: { name: resource } }],
  });
});

test("where nodes are hidden, generic is a guess", () => {
  const sightings = new Map([["nodes", { is: "hidden", why: "forbidden" } as const]]);
  expect(findClusterType(new Snapshot({ sightings, configMaps: new Map() }))).toEqual({
    type: "generic",
    isOverridden: false,
    evidence: [],
    doubt: "Not all nodes could be read.",
  });
});

const nodeGroup = { "eks.amazonaws.com/nodegroup": "main" };

function nodeWith(sign: {
  readonly labels?: Readonly<Record<string, string>>;
  readonly kubeletVersion?: string;
  readonly providerID?: string;
}): ClusterObject {
  const { labels, kubeletVersion, providerID } = sign;
  return node("signed", { labels, spec: { providerID }, status: { nodeInfo: { kubeletVersion } } });
}

function node(name: string, { labels, ...rest }: Record<string, unknown>): ClusterObject {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, ...(labels !== undefined && { labels: labels as Record<string, string> }) },
    ...rest,
  };
}
