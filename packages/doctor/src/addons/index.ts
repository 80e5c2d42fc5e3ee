import type { Addon } from "../catalogue/index.ts";
import { argoRollouts } from "./argo-rollouts.ts";
import { argoWorkflows } from "./argo-workflows/index.ts";
import { argocd } from "./argocd/index.ts";
import { certManager } from "./cert-manager/index.ts";
import { elasti } from "./elasti.ts";
import { externalSecrets } from "./external-secrets.ts";
import { flyte } from "./flyte.ts";
import { gatekeeper } from "./gatekeeper.ts";
import { gatewayApi } from "./gateway-api.ts";
import { ingress } from "./ingress.ts";
import { istio } from "./istio/istio.ts";
import { istioBase } from "./istio/istio-base.ts";
import { istioIngress } from "./istio/istio-ingress.ts";
import { jspolicy } from "./jspolicy.ts";
import { keda } from "./keda.ts";
import { kyverno } from "./kyverno.ts";
import { metricsServer } from "./metrics-server.ts";
import { notebooks } from "./notebooks.ts";
import { reloader } from "./reloader.ts";
import { sparkOperator } from "./spark-operator.ts";

/** Every addon that is looked for, by id. */
export const catalogue: readonly Addon[] = [
  argoRollouts,
  argoWorkflows,
  argocd,
  certManager,
  elasti,
  externalSecrets,
  flyte,
  gatekeeper,
  gatewayApi,
  ingress,
  istio,
  istioBase,
  istioIngress,
  jspolicy,
  keda,
  kyverno,
  metricsServer,
  notebooks,
  reloader,
  sparkOperator,
];
