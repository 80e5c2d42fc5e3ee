import { expect, test } from "vitest";
import type { ClusterObject } from "../snapshot/index.ts";
import { verdictsOf } from "../testing/examine-addon.fixture.ts";
import { reportOn, setAt, verdictOf } from "../testing/judge.fixture.ts";
import { changed, readStandIn } from "../testing/stand-ins.fixture.ts";
import { metricsServer } from "./metrics-server.ts";

const chart = readStandIn("metrics-server/chart");
const api = "v1beta1.metrics.k8s.io";
const check = "metrics-server.api-service";

test.each([
  ["upstream", "0.8.1", { is: "manifests" }],
  ["chart", "0.8.0", { is: "helm", release: "metrics-server" }],
  ["provider-k3s", "0.8.0", { is: "provider", by: "k3s" }],
  ["provider-gke", "0.8.0", { is: "provider", by: "the provider's addon manager" }],
  ["provider-aks", "0.8.0", { is: "provider", by: "AKS" }],
])("%s is fit, and it is known who installed it", (shape, version, provenance) => {
  const report = reportOn(metricsServer, readStandIn(`metrics-server/${shape}`));
  expect(report).toMatchObject({ state: "healthy", installation: { version, provenance } });
  expect(verdictsOf(report)).toEqual({ [check]: "pass" });
});

test("where its image has no name, whoever serves its API counts", () => {
  expect(reportOn(metricsServer, readStandIn("metrics-server/provider-openshift"))).toMatchObject({
    state: "provider-managed",
    message: "Service openshift-monitoring/metrics-server runs it.",
  });
});

test("an APIService that was left behind is no metrics-server", () => {
  const rest = unavailable(chart).filter(({ kind }) => kind === "APIService");
  expect(reportOn(metricsServer, rest).state).toBe("absent");
});

test("kubelets that it doesn't trust: the API isn't available, and the chart's values mend it", () => {
  expect(verdictOf(metricsServer, check, unavailable(chart))).toMatchObject({
    is: "fail",
    evidence: [{ observed: "False: FailedDiscoveryCheck", expected: "True" }],
    fix: { is: "helm-values", values: { args: ["--kubelet-insecure-tls"] } },
  });
});

test("without an APIService the fix registers it", () => {
  const cluster = chart.filter(({ kind }) => kind !== "APIService");
  expect(verdictOf(metricsServer, check, cluster)).toMatchObject({
    is: "fail",
    fix: { is: "manifest", objects: [{ kind: "APIService", metadata: { name: api } }] },
  });
});

test("APIServices that may not be listed leave it unknown", () => {
  const hidden = new Map([["apiservices.apiregistration.k8s.io", "forbidden"]]);
  expect(verdictOf(metricsServer, check, chart, { hidden }).is).toBe("unknown");
  expect(reportOn(metricsServer, [], { hidden }).state).toBe("unknown");
});

test("a node without a row is named, where somebody asked for rows", () => {
  const [a, b] = ["a", "b"].map((name): ClusterObject => ({ apiVersion: "v1", kind: "Node", metadata: { name } }));
  const row: ClusterObject = { apiVersion: "metrics.k8s.io/v1beta1", kind: "Node", metadata: { name: "a" } };
  const cluster = [...chart, a as ClusterObject, b as ClusterObject, row];
  expect(verdictOf(metricsServer, "metrics-server.rows", cluster)).toMatchObject({
    is: "fail",
    evidence: [{ object: { resource: "nodes", name: "b" } }],
  });
  expect(verdictOf(metricsServer, "metrics-server.rows", [...chart, a as ClusterObject, row]).is).toBe("pass");
});

function unavailable(objects: readonly ClusterObject[]): ClusterObject[] {
  return changed(objects, "APIService", api, (service) =>
    setAt(service, "status/conditions", [{ type: "Available", status: "False", reason: "FailedDiscoveryCheck" }]),
  );
}
