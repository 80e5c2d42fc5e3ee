// The span of a request from the hub to the API server, which gets it as the parent of its own.
import type { FairleadError } from "@fairlead/kernel";
import { findTraceParent, type Span, type SpanResult, type Tracer } from "@fairlead/kernel/tracing";
import { formatResource, type RequestAttributes } from "@fairlead/kube";
import type { OpenHead } from "@fairlead/protocol";

export function startRequestSpan(
  tracer: Tracer,
  { open, attributes }: { readonly open: OpenHead; readonly attributes: RequestAttributes },
): Span {
  const { verb, namespace } = attributes;
  return tracer.startSpan({
    name: `${verb} ${formatResource(attributes)}`.trimEnd(),
    kind: "client",
    parent: findTraceParent(open.headers),
    attributes: {
      "http.request.method": open.method,
      "k8s.namespace.name": namespace || undefined,
      "fairlead.request.id": open.requestId,
    },
  });
}

export function toSpanResult({
  status,
  error,
}: {
  readonly status: number;
  readonly error: FairleadError | undefined;
}): SpanResult {
  return { attributes: { "http.response.status_code": status || undefined }, errorCode: error?.code };
}
