import type { Addon } from "../catalogue/index.ts";
import { argocd } from "./argocd/index.ts";
import { gatewayApi } from "./gateway-api.ts";
import { ingress } from "./ingress.ts";
import { istio } from "./istio/istio.ts";
import { istioBase } from "./istio/istio-base.ts";
import { istioIngress } from "./istio/istio-ingress.ts";
import { metricsServer } from "./metrics-server.ts";

/** Every addon that is looked for, by id. */
export const catalogue: readonly Addon[] = [argocd, gatewayApi, ingress, istio, istioBase, istioIngress, metricsServer];
