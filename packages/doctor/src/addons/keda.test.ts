import type { ClusterObject } from "../snapshot/index.ts";
import { testGolden } from "../testing/golden-cases.fixture.ts";
import { keda } from "./keda.ts";

const api = "v1beta1.external.metrics.k8s.io";
const datadog = { namespace: "datadog", name: "datadog-cluster-agent-metrics-api" };
const env = "spec/template/spec/containers/0/env/0";
const service: ClusterObject = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { namespace: "keda", name: "metrics" },
  spec: { selector: { app: "keda-metrics-apiserver" } },
};

testGolden(keda, {
  shapes: [
    { of: "keda/upstream", version: undefined, provenance: "manifests" },
    { of: "keda/chart", version: "2.20.2", provenance: "helm" },
  ],
  cases: [
    {
      title: "another adapter owns the API of external metrics",
      of: "keda/chart",
      change: ["APIService", api, "spec/service", datadog],
      verdicts: { "keda.external-metrics": "fail" },
      state: "misconfigured",
    },
    {
      title: "another adapter in KEDA's own namespace owns it",
      of: "keda/upstream",
      change: ["APIService", api, "spec/service/name", "prometheus-adapter"],
      verdicts: { "keda.external-metrics": "fail" },
    },
    {
      title: "a Service of another name that leads to KEDA is KEDA's",
      of: "keda/upstream",
      edit: (objects) => [
        ...objects.filter(({ kind }) => kind !== "APIService"),
        ...objects
          .filter(({ kind }) => kind === "APIService")
          .map((object) => ({ ...object, spec: { service: { namespace: "keda", name: "metrics" } } })),
        service,
      ],
    },
    {
      title: "its server doesn't answer: FailedDiscoveryCheck",
      of: "keda/upstream",
      change: ["APIService", api, "status/conditions/0/status", "False"],
      verdicts: { "keda.external-metrics": "fail" },
    },
    {
      title: "nobody registered the API of external metrics",
      of: "keda/chart",
      edit: (objects) => objects.filter(({ kind }) => kind !== "APIService"),
      verdicts: { "keda.external-metrics": "fail" },
    },
    {
      title: "APIServices that may not be read leave it unknown",
      of: "keda/chart",
      hidden: new Map([["apiservices.apiregistration.k8s.io", "forbidden"]]),
      verdicts: { "keda.external-metrics": "unknown" },
      state: "unknown",
    },
    {
      title: "it watches one namespace",
      of: "keda/chart",
      change: ["Deployment", "keda-operator", `${env}/value`, "apps"],
      verdicts: { "keda.watched-namespaces": "fail" },
    },
    {
      title: "the namespaces that it watches come from elsewhere",
      of: "keda/chart",
      change: ["Deployment", "keda-operator", `${env}/valueFrom`, { configMapKeyRef: { name: "a", key: "b" } }],
      verdicts: { "keda.watched-namespaces": "unknown" },
    },
    {
      title: "without WATCH_NAMESPACE it watches all namespaces",
      of: "keda/chart",
      change: ["Deployment", "keda-operator", "spec/template/spec/containers/0/env", undefined],
    },
  ],
});
