import type { FeatureId } from "./feature.ts";

/**
 * The addons that each feature needs: one of each group, by their ids. The first of a group is the usual one, which is
 * named when none is there.
 */
export const featureNeeds: Readonly<Record<FeatureId, readonly (readonly string[])[]>> = {
  deploy: [["argocd"]],
  metrics: [["prometheus", "victoria-metrics"], ["kube-state-metrics"]],
  alerts: [["prometheus", "victoria-metrics"]],
  "autoscaling-by-cpu": [["metrics-server"]],
  "autoscaling-by-requests": [["istio"], ["keda"], ["prometheus", "victoria-metrics"]],
  "autoscaling-by-events": [["keda"]],
  "scale-to-zero": [["elasti"], ["prometheus", "victoria-metrics"]],
  canary: [["argo-rollouts"]],
  jobs: [["argo-workflows"]],
  "spark-jobs": [["spark-operator"]],
  workflows: [["flyte"]],
  notebooks: [["notebooks"]],
  "notebook-sign-in": [["notebooks"], ["istio"]],
  "endpoint-authentication": [["istio"]],
  intercepts: [["istio"]],
  ingress: [["istio-ingress", "gateway-api", "ingress"]],
  tls: [["cert-manager"]],
  logs: [
    ["victoria-logs", "loki"],
    ["vector", "alloy", "fluent-bit", "opentelemetry-collector"],
  ],
  gpu: [["gpu-operator", "nvidia-device-plugin"]],
  neuron: [["neuron"]],
  "gpu-metrics": [["gpu-operator"], ["prometheus", "victoria-metrics"]],
  "volumes-rwo": [],
  "volumes-rwx": [],
  "node-provisioning": [["karpenter"]],
  "node-repair": [["karpenter"], ["node-monitoring-agent"]],
  "external-secrets": [["external-secrets"]],
  dashboards: [["grafana"]],
};
