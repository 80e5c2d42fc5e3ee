import { describe, expect, test } from "vitest";
import { fairlead, truefoundry } from "../../profiles/index.ts";
import type { ClusterObject } from "../../snapshot/index.ts";
import { verdictsOf } from "../../testing/examine-addon.fixture.ts";
import { reportOn, setAt, verdictOf } from "../../testing/judge.fixture.ts";
import { changed, readStandIn } from "../../testing/stand-ins.fixture.ts";
import { kubeStateMetrics } from "./index.ts";

describe.each([fairlead, truefoundry])("for the profile $name", (profile) => {
  test.each([
    ["upstream", "2.18.0"],
    ["chart", "2.20.0"],
  ])("%s is fit", (shape, version) => {
    const report = reportOn(kubeStateMetrics, readStandIn(`kube-state-metrics/${shape}`), { profile });
    expect(report).toMatchObject({ state: "healthy", installation: { version } });
    expect(verdictsOf(report)).toEqual({
      "kube-state-metrics.node-labels": "pass",
      "kube-state-metrics.pod-labels": "pass",
    });
  });
});

const podLabels = "kube-state-metrics.pod-labels";
const nodeLabels = "kube-state-metrics.node-labels";
const four = truefoundry.kubeStateMetrics.podLabels.join(",");

test.each<[string, string[], string, string]>([
  ["no flag at all", [], podLabels, "fail"],
  ["one label is missing", ["--metric-labels-allowlist=pods=[truefoundry.com/application]"], podLabels, "fail"],
  ["the star isn't first", ["--metric-labels-allowlist=pods=[app,*]"], podLabels, "fail"],
  ["a star for all resources", ["--metric-labels-allowlist=*=[*]"], podLabels, "pass"],
  [
    "a list for all resources beats the one for pods",
    [`--metric-labels-allowlist=*=[app],pods=[${four}]`],
    podLabels,
    "fail",
  ],
  ["the flag in two words", ["--metric-labels-allowlist", `pods=[${four}]`], podLabels, "pass"],
  [
    "the last of two flags counts",
    [`--metric-labels-allowlist=pods=[${four}]`, "--metric-labels-allowlist=pods=[a]"],
    podLabels,
    "fail",
  ],
  ["a flag that can't be read", [`--metric-labels-allowlist=pods=${four}`], podLabels, "fail"],
  [
    "pods are left out of its resources",
    ["--resources=nodes", "--metric-labels-allowlist=pods=[*]"],
    podLabels,
    "fail",
  ],
  ["a file of its own, which can't be read", ["--config=/etc/ksm.yaml"], podLabels, "unknown"],
  ["labels of nodes are missing", [`--metric-labels-allowlist=pods=[${four}]`], nodeLabels, "fail"],
])("%s", (_, args, check, expected) => {
  expect(verdictOf(kubeStateMetrics, check, withArgs(args)).is).toBe(expected);
});

test("labels of other clouds aren't asked for", () => {
  const cluster = withArgs([
    "--metric-labels-allowlist=nodes=[cloud.google.com/gke-provisioning,node.kubernetes.io/instance-type]",
  ]);
  expect(verdictOf(kubeStateMetrics, nodeLabels, cluster, { clusterType: "gke" }).is).toBe("pass");
  expect(verdictOf(kubeStateMetrics, nodeLabels, cluster, { clusterType: "eks" }).is).toBe("fail");
});

test("what one instance lacks another one may export", () => {
  const [one] = withArgs([
    "--metric-labels-allowlist=pods=[truefoundry.com/application,truefoundry.com/component-type]",
  ]);
  const other = changed(
    withArgs(["--metric-labels-allowlist=pods=[truefoundry.com/component,truefoundry.com/application-id]"]),
    "Deployment",
    "kube-state-metrics",
    ({ metadata }) => setAt(metadata, "name", "shard-1"),
  );
  expect(verdictOf(kubeStateMetrics, podLabels, [one as ClusterObject, ...other]).is).toBe("pass");
});

test("the fix of a chart's release says the right name of the value, and keeps what is exported", () => {
  const cluster = withArgs(
    ["--metric-labels-allowlist=pods=[team],services=[a]"],
    "chart",
    "prometheus-kube-state-metrics",
  );
  expect(verdictOf(kubeStateMetrics, podLabels, cluster)).toMatchObject({
    evidence: [{ path: "spec.template.spec.containers[0].args" }],
    fix: {
      is: "helm-values",
      chart: "kube-prometheus-stack",
      release: { namespace: "prometheus", name: "prometheus" },
      values: {
        "kube-state-metrics": {
          metricLabelsAllowlist: [
            `pods=[team,${four}]`,
            "services=[a]",
            `nodes=[${truefoundry.kubeStateMetrics.nodeLabels.join(",")}]`,
          ],
        },
      },
    },
  });
});

test("without a chart the fix replaces the flag and keeps the other arguments", () => {
  const cluster = withArgs([
    "--port=8080",
    "--metric-labels-allowlist",
    "pods=[*]",
    "--metric-labels-allowlist=nodes=[a]",
  ]);
  const verdict = verdictOf(kubeStateMetrics, podLabels, cluster);
  const args = JSON.stringify(verdict);
  expect(args).toContain('"args":["--port=8080","--metric-labels-allowlist=nodes=[a,');
  expect(args).not.toContain('"pods=[*]"]');
});

test("the misspelt value, which Helm ignores, is found in the application that installs it", () => {
  const application: ClusterObject = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name: "monitoring", namespace: "argocd" },
    spec: { source: { helm: { values: "metricsLabelsAllowlist: ['pods=[*]']" } } },
  };
  const cluster = changed(withArgs([]), "Deployment", "kube-state-metrics", ({ metadata }) =>
    setAt(metadata, "annotations", { "argocd.argoproj.io/tracking-id": "monitoring:apps/Deployment:a/b" }),
  );
  const verdict = verdictOf(kubeStateMetrics, podLabels, [...cluster, application]);
  expect(verdict.message).toContain("its name is metricLabelsAllowlist");
  expect(verdict.evidence[0]).toMatchObject({ observed: "metricsLabelsAllowlist", expected: "metricLabelsAllowlist" });
});

function withArgs(args: readonly string[], shape = "upstream", name = "kube-state-metrics"): ClusterObject[] {
  return changed(readStandIn(`kube-state-metrics/${shape}`), "Deployment", name, (object) =>
    setAt(object, "spec/template/spec/containers/0/args", args),
  );
}
