import type { Addon } from "../catalogue/index.ts";
import { alloy } from "./alloy.ts";
import { argocd } from "./argocd/index.ts";
import { fairleadAgent } from "./fairlead-agent/index.ts";
import { fluentBit } from "./fluent-bit/index.ts";
import { gatewayApi } from "./gateway-api.ts";
import { grafana } from "./grafana.ts";
import { ingress } from "./ingress.ts";
import { istio } from "./istio/istio.ts";
import { istioBase } from "./istio/istio-base.ts";
import { istioIngress } from "./istio/istio-ingress.ts";
import { kubeStateMetrics } from "./kube-state-metrics/index.ts";
import { loki } from "./loki.ts";
import { metricsServer } from "./metrics-server.ts";
import { opentelemetryCollector } from "./opentelemetry-collector.ts";
import { prometheus } from "./prometheus/index.ts";
import { vector } from "./vector/index.ts";
import { victoriaLogs } from "./victoria-logs.ts";
import { victoriaMetrics } from "./victoria-metrics.ts";

/** Every addon that is looked for, by id. */
export const catalogue: readonly Addon[] = [
  alloy,
  argocd,
  fairleadAgent,
  fluentBit,
  gatewayApi,
  grafana,
  ingress,
  istio,
  istioBase,
  istioIngress,
  kubeStateMetrics,
  loki,
  metricsServer,
  opentelemetryCollector,
  prometheus,
  vector,
  victoriaLogs,
  victoriaMetrics,
];
