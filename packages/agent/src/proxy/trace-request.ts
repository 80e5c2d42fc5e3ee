// The span of a request from the hub to the API server, which gets it as the parent of its own.
import type { FairleadError } from "@fairlead/kernel";
import { replaceTraceParent, type Span, type SpanResult, type Tracer, takeTraceParent } from "@fairlead/kernel/tracing";
import type { RequestAttributes } from "@fairlead/kube";
import type { OpenHead } from "@fairlead/protocol";

export function startRequestSpan(
  tracer: Tracer,
  { open, attributes }: { readonly open: OpenHead; readonly attributes: RequestAttributes },
): Span {
  const { verb, resource, subresource, namespace } = attributes;
  return tracer.startSpan({
    name: resource === "" ? verb : `${verb} ${resource}${subresource === "" ? "" : `/${subresource}`}`,
    kind: "client",
    parent: takeTraceParent(open.headers).parent,
    attributes: {
      "http.request.method": open.method,
      "k8s.namespace.name": namespace || undefined,
      "fairlead.request.id": open.requestId,
    },
  });
}

export function traceLines(lines: string[], span: Span | undefined): string[] {
  return span === undefined ? lines : replaceTraceParent(lines, span);
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
