import type { ClusterObject } from "../snapshot/index.ts";
import { testGolden } from "../testing/golden-cases.fixture.ts";
import { elasti } from "./elasti.ts";

const prometheus: ClusterObject = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { namespace: "prometheus", name: "prometheus-operated" },
};
const asking = (serverAddress: string): ClusterObject => ({
  apiVersion: "elasti.truefoundry.com/v1alpha1",
  kind: "ElastiService",
  metadata: { namespace: "apps", name: "web" },
  spec: { triggers: [{ type: "prometheus", metadata: { serverAddress } }] },
});
const inCluster = "http://prometheus-operated.prometheus.svc.cluster.local:9090";

testGolden(elasti, {
  beside: [prometheus],
  shapes: [{ of: "elasti/chart", version: "0.1.21", provenance: "helm" }],
  cases: [
    {
      title: "no pod of the resolver is ready",
      of: "elasti/chart",
      change: ["Deployment", "elasti-resolver", "status/readyReplicas", 0],
      verdicts: { "elasti.resolver": "fail" },
      state: "degraded",
    },
    {
      title: "the resolver isn't there",
      of: "elasti/chart",
      edit: (objects) => objects.filter(({ metadata }) => metadata.name !== "elasti-resolver"),
      verdicts: { "elasti.resolver": "fail" },
      state: "degraded",
    },
    {
      title: "a trigger asks a Prometheus that is there",
      of: "elasti/chart",
      edit: (objects) => [...objects, asking(inCluster)],
    },
    {
      title: "a trigger asks a Prometheus in another namespace",
      of: "elasti/chart",
      edit: (objects) => [...objects, asking(inCluster.replace(".prometheus.", ".monitoring."))],
      verdicts: { "elasti.prometheus-address": "fail" },
      state: "healthy",
    },
    {
      title: "an address outside of the cluster is believed",
      of: "elasti/chart",
      edit: (objects) => [...objects, asking("https://metrics.example.com")],
    },
  ],
});
