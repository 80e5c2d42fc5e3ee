import type { Addon } from "../catalogue/index.ts";
import { alloy } from "./alloy.ts";
import { argoRollouts } from "./argo-rollouts.ts";
import { argoWorkflows } from "./argo-workflows/index.ts";
import { argocd } from "./argocd/index.ts";
import { awsEbsCsiDriver } from "./aws-ebs-csi-driver.ts";
import { awsEfsCsiDriver } from "./aws-efs-csi-driver.ts";
import { awsLoadBalancerController } from "./aws-load-balancer-controller/index.ts";
import { certManager } from "./cert-manager/index.ts";
import { elasti } from "./elasti.ts";
import { externalSecrets } from "./external-secrets.ts";
import { fairleadAgent } from "./fairlead-agent/index.ts";
import { fluentBit } from "./fluent-bit/index.ts";
import { flyte } from "./flyte.ts";
import { gatekeeper } from "./gatekeeper.ts";
import { gatewayApi } from "./gateway-api.ts";
import { gpuOperator } from "./gpu-operator/index.ts";
import { grafana } from "./grafana.ts";
import { ingress } from "./ingress.ts";
import { istio } from "./istio/istio.ts";
import { istioBase } from "./istio/istio-base.ts";
import { istioIngress } from "./istio/istio-ingress.ts";
import { jspolicy } from "./jspolicy.ts";
import { karpenter } from "./karpenter/index.ts";
import { keda } from "./keda.ts";
import { kubeStateMetrics } from "./kube-state-metrics/index.ts";
import { kyverno } from "./kyverno.ts";
import { loki } from "./loki.ts";
import { metricsServer } from "./metrics-server.ts";
import { neuron } from "./neuron.ts";
import { nodeMonitoringAgent } from "./node-monitoring-agent.ts";
import { notebooks } from "./notebooks.ts";
import { nvidiaDevicePlugin } from "./nvidia-device-plugin.ts";
import { opentelemetryCollector } from "./opentelemetry-collector.ts";
import { prometheus } from "./prometheus/index.ts";
import { reloader } from "./reloader.ts";
import { sparkOperator } from "./spark-operator.ts";
import { vector } from "./vector/index.ts";
import { victoriaLogs } from "./victoria-logs.ts";
import { victoriaMetrics } from "./victoria-metrics.ts";

/** Every addon that is looked for, by id. */
export const catalogue: readonly Addon[] = [
  alloy,
  argoRollouts,
  argoWorkflows,
  argocd,
  awsEbsCsiDriver,
  awsEfsCsiDriver,
  awsLoadBalancerController,
  certManager,
  elasti,
  externalSecrets,
  fairleadAgent,
  fluentBit,
  flyte,
  gatekeeper,
  gatewayApi,
  gpuOperator,
  grafana,
  ingress,
  istio,
  istioBase,
  istioIngress,
  jspolicy,
  karpenter,
  keda,
  kubeStateMetrics,
  kyverno,
  loki,
  metricsServer,
  neuron,
  nodeMonitoringAgent,
  notebooks,
  nvidiaDevicePlugin,
  opentelemetryCollector,
  prometheus,
  reloader,
  sparkOperator,
  vector,
  victoriaLogs,
  victoriaMetrics,
];
