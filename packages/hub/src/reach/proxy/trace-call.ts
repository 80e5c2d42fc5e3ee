// The span of a request that was let in. The cluster's side hangs on it by the header that goes with the request.
import { findTraceParent, type Span, type SpanResult, type Tracer } from "@fairlead/kernel/tracing";
import { formatResource } from "@fairlead/kube";
import type { AdmittedCall } from "./call.ts";
import type { Outcome } from "./describe-call.ts";

export function startCallSpan(tracer: Tracer, { call, attributes, target, requestId }: AdmittedCall): Span {
  const { verb, namespace } = attributes;
  const { req, isUpgrade } = call;
  return tracer.startSpan({
    name: `${verb} ${formatResource(attributes)}`.trimEnd(),
    kind: "server",
    parent: findTraceParent(req.rawHeaders),
    attributes: {
      "http.request.method": req.method,
      "k8s.cluster.name": target.cluster,
      "k8s.namespace.name": namespace || undefined,
      "fairlead.request.id": requestId,
      "fairlead.upgrade": isUpgrade || undefined,
    },
  });
}

export function toSpanResult({ status, error, passed }: Outcome): SpanResult {
  return {
    attributes: {
      "http.response.status_code": status,
      "http.request.body.size": passed?.sentBytes,
      "http.response.body.size": passed?.receivedBytes,
    },
    errorCode: error?.code,
  };
}
