import type { ClusterObject } from "../snapshot/index.ts";
import { definitionOf } from "../testing/examine-addon.fixture.ts";
import { testGolden } from "../testing/golden-cases.fixture.ts";
import { argoRollouts } from "./argo-rollouts.ts";

const istio = definitionOf("virtualservices.networking.istio.io", "VirtualService");
const gatewayApi = definitionOf("httproutes.gateway.networking.k8s.io", "HTTPRoute");
const args = "spec/template/spec/containers/0/args";
const instead =
  (...others: readonly ClusterObject[]) =>
  (objects: readonly ClusterObject[]) => [...objects.filter((object) => object !== istio), ...others];
const configMap = (plugins: string): ClusterObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "argo-rollouts", name: "argo-rollouts-config" },
  data: { trafficRouterPlugins: plugins },
});
const ingressClass = (controller: string): ClusterObject => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "IngressClass",
  metadata: { name: "public" },
  spec: { controller },
});

testGolden(argoRollouts, {
  beside: [istio],
  shapes: [
    { of: "argo-rollouts/upstream", version: undefined, provenance: "manifests" },
    { of: "argo-rollouts/chart", version: "1.9.0", provenance: "helm" },
  ],
  cases: [
    {
      title: "a controller with --namespaced watches its own namespace alone",
      of: "argo-rollouts/upstream",
      change: ["Deployment", "argo-rollouts", args, ["--namespaced"]],
      verdicts: { "argo-rollouts.all-namespaces": "warn" },
      state: "healthy",
    },
    {
      title: "--namespaced=false watches all namespaces",
      of: "argo-rollouts/chart",
      change: ["Deployment", "argo-rollouts", args, ["--namespaced=false"]],
    },
    {
      title: "nothing takes weights",
      of: "argo-rollouts/chart",
      edit: instead(),
      verdicts: { "argo-rollouts.weights": "warn" },
    },
    {
      title: "a Gateway API needs a plugin",
      of: "argo-rollouts/chart",
      edit: instead(gatewayApi),
      verdicts: { "argo-rollouts.weights": "warn" },
    },
    {
      title: "a Gateway API with its plugin takes weights",
      of: "argo-rollouts/chart",
      edit: instead(gatewayApi, configMap('- name: "argoproj-labs/gatewayAPI"\n')),
    },
    {
      title: "a plugin map that may not be read leaves it unknown",
      of: "argo-rollouts/chart",
      edit: instead(gatewayApi),
      hidden: new Map([["configmaps", "forbidden"]]),
      verdicts: { "argo-rollouts.weights": "unknown" },
      state: "healthy",
    },
    {
      title: "an ingress controller that is known takes weights",
      of: "argo-rollouts/upstream",
      edit: instead(ingressClass("k8s.io/ingress-nginx")),
    },
    {
      title: "an ingress controller that isn't known takes none",
      of: "argo-rollouts/upstream",
      edit: instead(ingressClass("example.com/other")),
      verdicts: { "argo-rollouts.weights": "warn" },
    },
  ],
});
