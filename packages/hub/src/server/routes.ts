import { type HubVersion, paths } from "@fairlead/contract";
import type { FastifyInstance } from "fastify";
import type { Access } from "../access/index.ts";
import type { Metrics, Readiness } from "../telemetry/index.ts";

/** Routes that anyone may call. */
export function addOpenRoutes(
  app: FastifyInstance,
  options: { readonly version: HubVersion; readonly caPem: string; readonly readiness: Readiness },
): void {
  const { version, caPem, readiness } = options;
  app.get(paths.version, () => version);
  app.get(paths.ca, (_request, reply) => reply.type("application/x-pem-file").send(caPem));
  app.get("/healthz", (_request, reply) => reply.type("text/plain").send("ok\n"));
  app.get("/readyz", async (_request, reply) => {
    const report = await readiness.check();
    return reply.code(report.ready ? 200 : 503).send(report);
  });
}

/** From here on in this scope every route needs a principal. */
export function requirePrincipal(app: FastifyInstance, access: Access): void {
  app.decorateRequest("principal");
  app.addHook("onRequest", (request, _reply, done) => {
    request.principal = access.authenticate(request.headers.authorization);
    done();
  });
}

export function addSignedInRoutes(
  app: FastifyInstance,
  options: { readonly access: Pick<Access, "require">; readonly metrics: Metrics },
): void {
  const { access, metrics } = options;
  app.get("/metrics", async (request, reply) => {
    access.require(request.principal, { verb: "get", resource: "metrics" });
    return reply.type(metrics.contentType).send(await metrics.render());
  });
}
