import type { ClusterObject } from "../../snapshot/index.ts";
import { testGolden } from "../../testing/golden-cases.fixture.ts";
import { gpuOperator } from "./gpu-operator.ts";

const of = "gpu-operator/chart";
const node = (path: string, value: unknown) => ["Node", "gpu-1", path, value] as const;
const taints = (value?: string) => [
  { key: "nvidia.com/gpu", effect: "NoSchedule", ...(value !== undefined && { value }) },
];

testGolden(gpuOperator, {
  shapes: [{ of, version: "25.3.4", provenance: "helm" }],
  cases: [
    {
      title: "its policy isn't ready",
      of,
      change: ["ClusterPolicy", "cluster-policy", "status/state", "notReady"],
      verdicts: { "gpu-operator.cluster-policy": "fail" },
      state: "misconfigured",
    },
    {
      title: "a second policy that it ignores does no harm",
      of,
      edit: (objects) => [...objects, ignoredPolicy()],
    },
    {
      title: "there is no policy",
      of,
      edit: (objects) => objects.filter(({ kind }) => kind !== "ClusterPolicy"),
      verdicts: { "gpu-operator.cluster-policy": "fail" },
    },
    {
      title: "a labelled node offers no GPU",
      of,
      change: node("status/allocatable", { cpu: "4", "nvidia.com/gpu": "0" }),
      verdicts: { "gpu-operator.allocatable": "fail" },
      state: "misconfigured",
    },
    {
      title: "a node that joined a minute ago is waited for",
      of,
      edit: (objects) =>
        objects.map((object) =>
          object.kind === "Node"
            ? { ...object, metadata: { ...object.metadata, creationTimestamp: "2025-12-31T23:59:00Z" }, status: {} }
            : object,
        ),
    },
    { title: "slices of a GPU are GPUs", of, change: node("status/allocatable", { "nvidia.com/mig-1g.5gb": "7" }) },
    { title: "shared GPUs are GPUs", of, change: node("status/allocatable", { "nvidia.com/gpu.shared": "4" }) },
    {
      title: "a node doesn't say which GPU it has",
      of,
      change: node("metadata/labels", { "nvidia.com/gpu.present": "true" }),
      verdicts: { "gpu-operator.node-labels": "warn" },
      state: "healthy",
    },
    { title: "a taint without a value is tolerated", of, change: node("spec/taints", taints()) },
    { title: "a taint with the value of GKE is tolerated", of, change: node("spec/taints", taints("present")) },
    {
      title: "a toleration of one value doesn't fit a taint without",
      of,
      edit: (objects) =>
        objects.map((object) => {
          const text = JSON.stringify(object).replaceAll('"operator":"Exists"', '"operator":"Equal","value":"true"');
          const changed = JSON.parse(text) as ClusterObject;
          return object.kind === "Node" ? { ...changed, spec: { taints: taints() } } : changed;
        }),
      verdicts: { "gpu-operator.tolerations": "fail" },
    },
    {
      title: "a taint of one's own isn't tolerated",
      of,
      change: node("spec/taints", [{ key: "team", value: "ml", effect: "NoSchedule" }]),
      verdicts: { "gpu-operator.tolerations": "fail" },
    },
    {
      title: "a node that is cordoned is no matter of tolerations",
      of,
      change: node("spec/taints", [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }]),
    },
    {
      title: "no monitor selects the exporter",
      of,
      change: ["ServiceMonitor", "dcgm-exporter", "spec/selector/matchLabels", { app: "dcgm" }],
      verdicts: { "gpu-operator.exporter-scraped": "warn" },
      state: "healthy",
    },
    {
      title: "a monitor of another namespace selects it only if it says so",
      of,
      change: ["ServiceMonitor", "dcgm-exporter", "spec/namespaceSelector", undefined],
      verdicts: { "gpu-operator.exporter-scraped": "warn" },
    },
    {
      title: "nodes that may not be listed leave them unknown",
      of,
      hidden: new Map([["nodes", "forbidden"]]),
      verdicts: {
        "gpu-operator.allocatable": "unknown",
        "gpu-operator.node-labels": "unknown",
        "gpu-operator.tolerations": "unknown",
      },
      state: "unknown",
    },
  ],
});

function ignoredPolicy(): ClusterObject {
  const metadata = { name: "another" };
  return { apiVersion: "nvidia.com/v1", kind: "ClusterPolicy", metadata, status: { state: "ignored" } };
}
