import { expect, test } from "vitest";
import { type ClusterObject, snapshotOfObjects } from "../snapshot/index.ts";
import { type DeploymentOptions, deployment } from "../testing/deployment.fixture.ts";
import { definitionOf } from "../testing/examine-addon.fixture.ts";
import { readWorkloads } from "../workloads/index.ts";
import { detect } from "./detect.ts";
import type { Signals } from "./signals.ts";
import { WorkloadIndex } from "./workload-index.ts";

const signals: Signals = {
  resources: ["things.example.com"],
  components: [{ name: "server", isEssential: true, labels: { app: ["thing"] } }],
};
const digest = `sha256:${"0".repeat(64)}`;

test.each([
  ["a leading v", "thing:v3.5.7", "3.5.7"],
  ["a provider's build", "thing:v1.54.0-eksbuild.1", "1.54.0"],
  ["a base image", "thing:0.56.0-distroless-libc", "0.56.0"],
  ["a host with a port", "mirror.local:5000/thing:1.2.3", "1.2.3"],
  ["a tag and a digest", `thing:1.8.1@${digest}`, "1.8.1"],
  ["an early release", "thing:v2.0.0-rc.1", "2.0.0-rc.1"],
  ["four numbers", "thing:2.22.4.0", "2.22.4.0"],
  ["a host with a port and no tag", "mirror.local:5000/thing", undefined],
  ["a commit", "thing:4f1d3a1", undefined],
  ["latest", "thing:latest", undefined],
  ["a branch", "thing:main", undefined],
])("%s in the tag: %s is %s", (_name, image, version) => {
  expect(versionOf({ image })).toBe(version);
});

test.each(["thing:auto", "auto", "thing:latest", "thing:master", `thing@${digest}`])(
  "where the image is %s, the one that its pods run says it",
  (image) => {
    const others = [pod("thing", "thing:v1.31.1"), pod("other", "thing:v9.0.0")];
    expect(versionOf({ image, labels: { "app.kubernetes.io/version": "1.0.0" } }, others)).toBe("1.31.1");
  },
);

test.each<[string, Record<string, string>, string | undefined]>([
  ["the version label", { "app.kubernetes.io/version": "v2.18.0", "helm.sh/chart": "thing-8.4.0" }, "2.18.0"],
  ["a version label that names a branch", { "app.kubernetes.io/version": "main" }, undefined],
  ["the chart", { "helm.sh/chart": "aws-thing-2-v1.19.2" }, "1.19.2"],
  ["a chart with a build, which labels can't write", { "helm.sh/chart": "thing-1.2.3_up4" }, "1.2.3+up4"],
  ["a chart without a version", { "helm.sh/chart": "eks-node-monitoring-agent" }, undefined],
])("where neither image nor pods say it: %s", (_name, labels, version) => {
  expect(versionOf({ image: `thing@${digest}`, labels })).toBe(version);
});

test("kube-prometheus-stack's version label is its chart's, so the operator's version is that of its definitions", () => {
  const labels = { chart: "kube-prometheus-stack-88.5.3", "app.kubernetes.io/version": "88.5.3" };
  const annotations = {
    "operator.prometheus.io/version": "0.93.1",
    "controller-gen.kubebuilder.io/version": "v0.19.0",
  };
  const definitions = markedDefinition({ annotations });
  expect(versionOf({ image: `thing@${digest}`, labels }, [definitions])).toBe("0.93.1");
});

test("cert-manager's definitions carry a label with the version", () => {
  const definitions = markedDefinition({ labels: { "app.kubernetes.io/version": "v1.19.2" } });
  expect(versionOf({ image: "thing:latest" }, [definitions])).toBe("1.19.2");
});

test("definitions alone have a version too", () => {
  const snapshot = snapshotOfObjects({
    objects: [markedDefinition({ annotations: { "gateway.networking.k8s.io/bundle-version": "v1.4.1" } })],
    isComplete: true,
  });
  expect(detect({ signals, snapshot, workloads: new WorkloadIndex([]) })).toMatchObject({
    presence: { is: "crds-only" },
    version: "1.4.1",
  });
});

function versionOf(options: Omit<DeploymentOptions, "name">, others: readonly ClusterObject[] = []) {
  const objects = [deployment({ name: "thing", ...options }), ...others];
  const snapshot = snapshotOfObjects({ objects, isComplete: true });
  return detect({ signals, snapshot, workloads: new WorkloadIndex(readWorkloads(snapshot)) }).version;
}

function markedDefinition(marks: Partial<ClusterObject["metadata"]>): ClusterObject {
  const definition = definitionOf("things.example.com", "Thing");
  return { ...definition, metadata: { ...definition.metadata, ...marks } };
}

function pod(app: string, image: string): ClusterObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `${app}-0`, namespace: "somewhere", labels: { app } },
    status: { containerStatuses: [{ name: "main", image: `mirror.local/${image}`, imageID: digest }] },
  };
}
