// A span for each request of somebody who is signed in; what strangers ask for leaves none.
import type { Span, Tracer } from "@fairlead/kernel/tracing";
import type { FastifyInstance, FastifyRequest } from "fastify";

export function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  const spans = new WeakMap<FastifyRequest, Span>();
  app.addHook("preHandler", (request, _reply, done) => {
    const { method, headers, routeOptions, id } = request;
    const { traceparent: parent } = headers;
    const span = tracer.startSpan({
      name: `${method} ${routeOptions.url ?? ""}`,
      kind: "server",
      parent: typeof parent === "string" ? parent : undefined,
      attributes: { "http.request.method": method, "http.route": routeOptions.url, "fairlead.request.id": id },
    });
    spans.set(request, span);
    tracer.within(span, done);
  });
  app.addHook("onResponse", async (request, { statusCode }) => {
    const errorCode = statusCode >= 500 ? String(statusCode) : undefined;
    spans.get(request)?.end({ attributes: { "http.response.status_code": statusCode }, errorCode });
  });
}
