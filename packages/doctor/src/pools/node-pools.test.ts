import { expect, test } from "vitest";
import { type ClusterObject, snapshotOfObjects } from "../snapshot/index.ts";
import { threePools } from "../testing/pool-profile.fixture.ts";
import { clusterOf, readStandIn } from "../testing/stand-ins.fixture.ts";
import { isGroupOf } from "./autoscaler-groups.ts";
import { readGpus } from "./gpus.ts";
import { readNodePools } from "./read-node-pools.ts";

const demands = threePools.nodePools;

test.each([
  ["karpenter-aws", ["critical-nodepool critical", "default-nodepool default", "gpu-nodepool gpu"]],
  ["eks-managed", ["general default", "gpu gpu", "system critical"]],
  ["gke", ["default-pool default", "l4 gpu", "system critical"]],
  ["aks", ["gpu gpu", "spot other", "system critical", "user default"]],
  [
    "openshift",
    ["east-gpu-a gpu", "east-infra-a critical", "east-master other", "east-spot-a default", "east-worker-a default"],
  ],
  [
    "oke",
    [
      "ocid1.nodepool.oc1.iad.aaaageneral default",
      "ocid1.nodepool.oc1.iad.aaaagpu gpu",
      "ocid1.nodepool.oc1.iad.aaaasystem critical",
    ],
  ],
  ["generic", ["c2 critical", "control-plane other", "gpu-box gpu", "m1 default"]],
])("the pools of %s are found, and what each is for", (path, expected) => {
  const pools = readNodePools(clusterOf(`pools/${path}`), demands);
  expect(pools.map(({ name, purpose }) => `${name} ${purpose}`)).toEqual(expected);
});

test.each([
  ["eks-managed", "general", ["spot"]],
  ["gke", "l4", ["spot"]],
  ["aks", "spot", ["spot"]],
  ["openshift", "east-spot-a", ["spot"]],
  ["oke", "ocid1.nodepool.oc1.iad.aaaageneral", ["spot"]],
  ["generic", "m1", ["on-demand"]],
  ["karpenter-aws", "default-nodepool", ["on-demand", "spot"]],
])("nodes that may be taken away are told by their provider's labels: %s", (path, name, capacityTypes) => {
  const pool = readNodePools(clusterOf(`pools/${path}`)).find((each) => each.name === name);
  expect(pool?.capacityTypes).toEqual({ values: capacityTypes, isStated: true });
});

test("a pool says what it has, what pods take of it, and what runs there", () => {
  const pool = readNodePools(clusterOf("pools/karpenter-aws")).find(({ name }) => name === "gpu-nodepool");
  expect(pool).toMatchObject({
    source: "karpenter",
    object: { resource: "nodepools.karpenter.sh", name: "gpu-nodepool" },
    architectures: { values: ["amd64"], isStated: true },
    taints: [{ key: "nvidia.com/gpu", value: "", effect: "NoSchedule" }],
    growth: { is: "limits", limits: { "nvidia.com/gpu": 4 }, used: { "nvidia.com/gpu": 1 } },
    allocatable: { cpu: 3.9, "nvidia.com/gpu": 1 },
    requested: { cpu: 2, "nvidia.com/gpu": 1, pods: 1 },
    runs: [{ namespace: "ml", pods: 1 }],
  });
});

test("one node that is cordoned or tainted by hand doesn't make a tainted pool", () => {
  const node = (name: string, taints: object[]): ClusterObject => ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "eks.amazonaws.com/nodegroup": "general" } },
    spec: { taints },
  });
  const objects = [
    node("a", []),
    node("b", [{ key: "repair", effect: "NoSchedule" }]),
    node("c", [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }]),
  ];
  expect(readNodePools(cluster(objects))).toMatchObject([{ name: "general", taints: [], purpose: "default" }]);
});

const asText = `Cluster-autoscaler status at 2026-01-01 00:00:00:
Cluster-wide:
  Health:      Healthy (ready=2 unready=0)
NodeGroups:
  Name:        eks-general-0ac3ff2a-1111-2222-3333-444455556666
  Health:      Healthy (ready=2 registered=2 cloudProviderTarget=2 (minSize=1, maxSize=5))
  Name:        idle
  Health:      Healthy (ready=0 registered=0 cloudProviderTarget=0 (minSize=0, maxSize=3))
`;
const asYaml = `time: 2026-01-01
autoscalerStatus: Running
clusterWide:
  health: { status: Healthy }
nodeGroups:
- name: eks-general-0ac3ff2a-1111-2222-3333-444455556666
  health:
    status: Healthy
    cloudProviderTarget: 2
    minSize: 1
    maxSize: 5
- name: idle
  health:
    cloudProviderTarget: 0
    minSize: 0
    maxSize: 3
`;

test.each([
  ["before 1.30, as a text", asText],
  ["since 1.30, as YAML", asYaml],
])("cluster-autoscaler says how far its groups may grow: %s", (_, status) => {
  const metadata = { namespace: "kube-system", name: "cluster-autoscaler-status" };
  const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { status } };
  const pools = readNodePools(cluster([...readStandIn("pools/eks-managed"), configMap]));
  expect(pools.find(({ name }) => name === "general")?.growth).toEqual({ is: "nodes", min: 1, max: 5, current: 2 });
  expect(pools.find(({ name }) => name === "idle")).toMatchObject({ source: "cluster-autoscaler", nodes: [] });
  expect(pools.find(({ name }) => name === "gpu")?.growth).toEqual({ is: "unknown" });
});

test.each([
  ["eks", "general", "eks-general-0ac3ff2a-1111-2222-3333-444455556666", true],
  ["eks", "general", "eks-not-general-0ac3ff2a-1111-2222-3333-444455556666", false],
  ["aks", "user", "aks-user-12345678-vmss", true],
  [
    "gke",
    "default-pool",
    "https://compute.example.com/zones/a/instanceGroups/gke-east-default-pool-1a2b3c4d-grp",
    true,
  ],
  ["gke", "pool", "gke-east-other-1a2b3c4d-grp", false],
  ["openshift", "east-worker-a", "MachineSet/openshift-machine-api/east-worker-a", true],
  ["oke", "ocid1.nodepool.oc1.iad.aaaa", "ocid1.nodepool.oc1.iad.aaaa", true],
  ["nodes", "user", "aks-user-12345678-vmss", false],
] as const)("%s: is the group behind the pool %s called %s? %s", (source, name, group, expected) => {
  expect(isGroupOf({ name: group, min: 0, max: 1, current: 0 }, { source, name })).toBe(expected);
});

test.each([
  ["karpenter-aws", [{ product: "NVIDIA-A10G", sharing: "none", memoryMib: 23028, allocatable: 1, free: 0 }]],
  ["eks-managed", [{ product: "Tesla-T4", sharing: "time-slicing", replicas: 4, allocatable: 4, free: 4 }]],
  ["gke", [{ product: "nvidia-l4", resource: "nvidia.com/gpu", sharing: "none", allocatable: 1 }]],
  ["openshift", [{ product: "NVIDIA-A100-SXM4-40GB", resource: "nvidia.com/mig-1g.5gb", sharing: "mig", free: 7 }]],
  ["generic", [{ product: "NVIDIA-H100-80GB-HBM3", allocatable: 8, nodes: ["gpu-1"], pools: ["gpu-box"] }]],
])("the GPUs of %s, by product and the way they are shared", (path, expected) => {
  expect(readGpus(clusterOf(`pools/${path}`))).toMatchObject(expected);
});

test("a node that is labelled for a GPU and offers none is counted with none", () => {
  const objects = readStandIn("pools/gke").map((object) =>
    object.metadata.name === "gke-3" ? { ...object, status: { allocatable: { cpu: "8" } } } : object,
  );
  expect(readGpus(cluster(objects))).toMatchObject([{ product: "nvidia-l4", allocatable: 0 }]);
});

test("where pods may not be read nobody knows what is free", () => {
  const hidden = new Map([["pods", "forbidden"]]);
  const snapshot = snapshotOfObjects({ objects: readStandIn("pools/karpenter-aws"), isComplete: true, hidden });
  expect(readGpus(snapshot)).toMatchObject([{ allocatable: 1, free: undefined }]);
  expect(readNodePools(snapshot).every(({ nodes, requested }) => nodes.length === 0 || requested === undefined)).toBe(
    true,
  );
});

test("pools come in the same order whatever the order of objects", () => {
  for (const path of ["karpenter-aws", "openshift"]) {
    const objects = readStandIn(`pools/${path}`);
    expect(readNodePools(cluster(objects.toReversed()), demands)).toEqual(readNodePools(cluster(objects), demands));
  }
});

function cluster(objects: readonly ClusterObject[]) {
  return snapshotOfObjects({ objects, isComplete: true });
}
