import { describe, expect, test } from "vitest";
import type { ClusterObject } from "../../snapshot/index.ts";
import { verdictsOf } from "../../testing/examine-addon.fixture.ts";
import { reportOn, setAt, verdictOf } from "../../testing/judge.fixture.ts";
import { changed, readStandIn } from "../../testing/stand-ins.fixture.ts";
import { parsePrometheusDuration } from "./duration.ts";
import { prometheus } from "./index.ts";

const chart = readStandIn("prometheus/chart");
const am = "prometheus-kube-prometheus-alertmanager";
const prometheusName = "prometheus-kube-prometheus-prometheus";

describe("a Prometheus under its operator is fit, and its version is not its chart's", () => {
  test.each([
    ["chart", "0.93.1", "helm"],
    ["upstream", "0.85.0", "manifests"],
  ])("%s", (shape, version, installer) => {
    const report = reportOn(prometheus, readStandIn(`prometheus/${shape}`));
    expect(report).toMatchObject({ state: "healthy", installation: { version, provenance: { is: installer } } });
    expect(report.checks.filter(({ verdict }) => verdict.is !== "pass")).toEqual([]);
    expect(report.checks).toHaveLength(10);
  });
});

test("a Prometheus by itself runs, with a warning that monitors of workloads do nothing", () => {
  const report = reportOn(prometheus, readStandIn("prometheus/bare"));
  expect(report).toMatchObject({ state: "healthy", installation: { version: "3.9.1" } });
  expect(verdictsOf(report)).toEqual({
    "prometheus.endpoint": "pass",
    "prometheus.operator": "warn",
    "prometheus.retention": "pass",
    "prometheus.storage": "pass",
  });
});

test.each([
  ["gke", "Google Managed Prometheus", { "prometheus.endpoint": "warn" }],
  ["aks", "Azure Monitor", { "prometheus.endpoint": "warn" }],
  ["openshift", "OpenShift", { "prometheus.endpoint": "warn", "prometheus.user-workload-monitoring": "pass" }],
] as const)("a provider's Prometheus is found: %s", (shape, by, verdicts) => {
  const report = reportOn(prometheus, readStandIn(`prometheus/provider-${shape}`));
  expect(report).toMatchObject({ state: "provider-managed", installation: { presence: { by } } });
  expect(verdictsOf(report)).toEqual(verdicts);
});

test("a chart is mended by its values, which it would not undo", () => {
  const broken = changed(chart, "Alertmanager", am, (each) =>
    setAt(each, "spec/alertmanagerConfigMatcherStrategy", undefined),
  );
  expect(verdictOf(prometheus, "prometheus.alertmanager-matcher-strategy", broken)).toMatchObject({
    fix: {
      is: "helm-values",
      chart: "kube-prometheus-stack",
      release: { namespace: "prometheus", name: "prometheus" },
      values: { alertmanager: { alertmanagerSpec: { alertmanagerConfigMatcherStrategy: { type: "None" } } } },
    },
  });
});

test.each([
  ["retention", "spec/retention", "24h", /restarts/],
  ["storage", "spec/storage", undefined, /metrics that it has now are lost/],
] as const)("what restarts Prometheus is never done unasked: %s", (id, path, value, cost) => {
  const changedSpec = changed(chart, "Prometheus", prometheusName, (each) => setAt(each, path, value));
  const broken = changed(changedSpec, "StatefulSet", `prometheus-${prometheusName}`, (each) =>
    setAt(each, "spec/volumeClaimTemplates", undefined),
  );
  expect(verdictOf(prometheus, `prometheus.${id}`, broken)).toMatchObject({
    fix: { risk: { is: "destructive", cost: expect.stringMatching(cost) } },
  });
});

test("without a chart the object is patched", () => {
  const upstream = readStandIn("prometheus/upstream");
  const broken = changed(upstream, "Alertmanager", "main", (each) =>
    setAt(each, "spec/alertmanagerConfigMatcherStrategy", undefined),
  );
  expect(verdictOf(prometheus, "prometheus.alertmanager-matcher-strategy", broken)).toMatchObject({
    fix: { is: "patch", type: "merge", object: { namespace: "monitoring", name: "main" } },
  });
});

test("of three Prometheis the one that takes our monitors is judged, whatever the others do", () => {
  const others = ["a-team", "z-team"].flatMap((namespace) =>
    chart
      .filter(({ kind }) => kind === "Prometheus" || kind === "Alertmanager")
      .map(
        (object): ClusterObject => ({ ...object, metadata: { ...object.metadata, namespace }, spec: {}, status: {} }),
      ),
  );
  const report = reportOn(prometheus, [...others, ...chart]);
  const { "prometheus.single": single, ...rest } = verdictsOf(report);
  expect(single).toBe("warn");
  expect(new Set(Object.values(rest))).toEqual(new Set(["pass"]));
  const reversed = reportOn(prometheus, [...others, ...chart].toReversed());
  expect(reversed.checks).toEqual(report.checks);
});

test("where Prometheis may not be listed, what depends on them is unknown and nothing fails", () => {
  const hidden = new Map([["prometheuses.monitoring.coreos.com", "forbidden"]]);
  const report = reportOn(prometheus, chart, { hidden });
  expect(report.state).toBe("unknown");
  expect(Object.values(verdictsOf(report))).not.toContain("fail");
});

describe("OpenShift that monitors itself alone is told how to monitor workloads", () => {
  const cluster = readStandIn("prometheus/provider-openshift");
  const check = "prometheus.user-workload-monitoring";

  test("and keeps its other settings, which don't leave the cluster", () => {
    const quiet = changed(cluster, "ConfigMap", "cluster-monitoring-config", (map) =>
      setAt(map, "data/config.yaml", "prometheusK8s: { token: hunter2 }\n"),
    );
    const verdict = verdictOf(prometheus, check, quiet);
    expect(verdict).toMatchObject({ is: "fail", evidence: [{ observed: "unset" }], fix: { is: "command" } });
    expect(JSON.stringify(verdict)).not.toContain("hunter2");
  });

  test("and not unasked where somebody turned that off", () => {
    const off = changed(cluster, "ConfigMap", "cluster-monitoring-config", (map) =>
      setAt(map, "data/config.yaml", "enableUserWorkload: false\n"),
    );
    expect(verdictOf(prometheus, check, off)).toMatchObject({ fix: { risk: { is: "destructive" } } });
  });

  test("by a new map where there is none", () => {
    const bare = cluster.filter(({ kind }) => kind !== "ConfigMap");
    expect(verdictOf(prometheus, check, bare)).toMatchObject({
      is: "fail",
      fix: { is: "manifest", objects: [{ data: { "config.yaml": "enableUserWorkload: true\n" } }] },
    });
  });
});

test.each([
  ["30d", 30],
  ["1w2d", 9],
  ["720h", 30],
  ["1y", 365],
  ["thirty days", 0],
])("a retention of %s is %d days", (text, days) => expect(parsePrometheusDuration(text)).toBeCloseTo(days));
