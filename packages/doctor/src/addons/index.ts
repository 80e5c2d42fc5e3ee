import type { Addon } from "../catalogue/index.ts";
import { argoRollouts } from "./argo-rollouts.ts";
import { argoWorkflows } from "./argo-workflows/index.ts";
import { argocd } from "./argocd/index.ts";
import { awsEbsCsiDriver } from "./aws-ebs-csi-driver.ts";
import { awsEfsCsiDriver } from "./aws-efs-csi-driver.ts";
import { awsLoadBalancerController } from "./aws-load-balancer-controller/index.ts";
import { certManager } from "./cert-manager/index.ts";
import { elasti } from "./elasti.ts";
import { externalSecrets } from "./external-secrets.ts";
import { flyte } from "./flyte.ts";
import { gatekeeper } from "./gatekeeper.ts";
import { gatewayApi } from "./gateway-api.ts";
import { gpuOperator } from "./gpu-operator/index.ts";
import { ingress } from "./ingress.ts";
import { istio } from "./istio/istio.ts";
import { istioBase } from "./istio/istio-base.ts";
import { istioIngress } from "./istio/istio-ingress.ts";
import { jspolicy } from "./jspolicy.ts";
import { karpenter } from "./karpenter/index.ts";
import { keda } from "./keda.ts";
import { kyverno } from "./kyverno.ts";
import { metricsServer } from "./metrics-server.ts";
import { neuron } from "./neuron.ts";
import { nodeMonitoringAgent } from "./node-monitoring-agent.ts";
import { notebooks } from "./notebooks.ts";
import { nvidiaDevicePlugin } from "./nvidia-device-plugin.ts";
import { reloader } from "./reloader.ts";
import { sparkOperator } from "./spark-operator.ts";

/** Every addon that is looked for, by id. */
export const catalogue: readonly Addon[] = [
  argoRollouts,
  argoWorkflows,
  argocd,
  awsEbsCsiDriver,
  awsEfsCsiDriver,
  awsLoadBalancerController,
  certManager,
  elasti,
  externalSecrets,
  flyte,
  gatekeeper,
  gatewayApi,
  gpuOperator,
  ingress,
  istio,
  istioBase,
  istioIngress,
  jspolicy,
  karpenter,
  keda,
  kyverno,
  metricsServer,
  neuron,
  nodeMonitoringAgent,
  notebooks,
  nvidiaDevicePlugin,
  reloader,
  sparkOperator,
];
