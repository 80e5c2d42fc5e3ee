// Clusters that are fine, of which checks once said otherwise.
import { expect, test } from "vitest";
import { fairlead } from "../profiles/index.ts";
import { truefoundry } from "../profiles/truefoundry.ts";
import { type ClusterObject, snapshotOfObjects } from "../snapshot/index.ts";
import { readStandIn } from "../testing/stand-ins.fixture.ts";
import { examineCluster } from "./examine.ts";

const gpuOperator = readStandIn("gpu-operator/chart").filter(({ kind }) => kind !== "Node");

test.each<[string, readonly ClusterObject[], string]>([
  ["no node has one", [node("a", {})], "blocked"],
  ["a node offers one", [node("a", { "nvidia.com/gpu": "1" })], "available"],
  ["Karpenter makes nodes of any kind", [node("a", {}), ...karpenterPool([])], "available"],
  ["Karpenter makes nodes with GPUs", [node("a", {}), ...karpenterPool(["g", "p"])], "available"],
  ["Karpenter makes only others", [node("a", {}), ...karpenterPool(["c", "m"])], "blocked"],
])("with the GPU operator, the feature is available where GPUs are: %s", (_what, others, state) => {
  expect(featureOf([...gpuOperator, ...others])).toMatchObject({ state });
});

test("without a GPU the reason is said", () => {
  const feature = featureOf([...gpuOperator, node("a", {})]);
  expect(feature?.because).toEqual([{ message: "No node has a GPU, and no pool makes such nodes." }]);
});

test("nodes that can't be seen may have a GPU", () => {
  const hidden = new Map([["nodes", "you may not list it"]]);
  expect(featureOf(gpuOperator, hidden)?.state).toBe("unknown");
});

test("the identity of a controller may come by its template's environment", () => {
  const objects = structuredClone(readStandIn("aws-ebs-csi-driver/chart")) as (ClusterObject &
    Record<string, unknown>)[];
  for (const object of objects) {
    if (object.kind === "ServiceAccount") delete (object.metadata as Record<string, unknown>)["annotations"];
  }
  const bare = verdictOf(objects, "aws-ebs-csi-driver.identity");
  const env = [{ name: "AWS_ROLE_ARN", value: "arn:aws:iam::111122223333:role/ebs" }];
  const text = JSON.stringify(objects).replaceAll(
    '"args":["controller"',
    `"env":${JSON.stringify(env)},"args":["controller"`,
  );
  expect([bare, verdictOf(JSON.parse(text) as ClusterObject[], "aws-ebs-csi-driver.identity")]).toEqual([
    "warn",
    "pass",
  ]);
});

test("metrics by prometheus-adapter count, where its APIService answers", () => {
  const api = {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: "v1beta1.metrics.k8s.io" },
    spec: {
      group: "metrics.k8s.io",
      version: "v1beta1",
      service: { name: "prometheus-adapter", namespace: "monitoring" },
    },
    status: { conditions: [{ type: "Available", status: "True" }] },
  };
  const report = examine([api]);
  expect(report.addons.find(({ id }) => id === "metrics-server")).toMatchObject({
    state: "provider-managed",
    message: "Service monitoring/prometheus-adapter runs it.",
  });
  expect(report.features.find(({ feature }) => feature === "autoscaling-by-cpu")?.state).toBe("available");
});

test("a Prometheus that its operator runs isn't a missing part, whatever image its pods have", () => {
  const objects = readStandIn("prometheus/chart").filter(
    ({ kind, metadata }) => kind !== "StatefulSet" || !metadata.name.startsWith("prometheus-"),
  );
  const prometheus = examine(objects).addons.find(({ id }) => id === "prometheus");
  expect(prometheus?.message).not.toContain("isn't there");
  expect(prometheus?.checks.find(({ check }) => check.id === "prometheus.available")?.verdict.is).toBe("pass");
});

test("TrueFoundry's profile asks for the label of Azure's accelerators", () => {
  expect(truefoundry.kubeStateMetrics.nodeLabels).toContain("kubernetes.azure.com/accelerator");
});

function examine(objects: readonly ClusterObject[], hidden: ReadonlyMap<string, string> = new Map()) {
  const snapshot = snapshotOfObjects({ objects, isComplete: true, hidden });
  return examineCluster({ snapshot, profile: fairlead, clusterType: "eks", now: new Date("2026-01-01T00:00:00Z") });
}

function featureOf(objects: readonly ClusterObject[], hidden?: ReadonlyMap<string, string>) {
  return examine(objects, hidden).features.find(({ feature }) => feature === "gpu");
}

function verdictOf(objects: readonly ClusterObject[], id: string): string | undefined {
  const checks = examine(objects).addons.flatMap((addon) => addon.checks);
  return checks.find(({ check }) => check.id === id)?.verdict.is;
}

function node(name: string, gpus: Readonly<Record<string, string>>): ClusterObject {
  const status = { allocatable: { cpu: "4", ...gpus }, conditions: [{ type: "Ready", status: "True" }] };
  return { apiVersion: "v1", kind: "Node", metadata: { name }, status };
}

function karpenterPool(categories: readonly string[]): ClusterObject[] {
  const name = "nodepools.karpenter.sh";
  const names = { kind: "NodePool", plural: "nodepools" };
  const requirements =
    categories.length === 0 ? [] : [{ key: "karpenter.k8s.aws/instance-category", operator: "In", values: categories }];
  return [
    {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name },
      spec: { group: "karpenter.sh", names },
    },
    {
      apiVersion: "karpenter.sh/v1",
      kind: "NodePool",
      metadata: { name: "general" },
      spec: { template: { spec: { requirements } } },
      status: { conditions: [{ type: "Ready", status: "True" }] },
    },
  ];
}
