import { type HubVersion, paths, type Whoami } from "@fairlead/contract";
import type { FastifyInstance } from "fastify";
import type { Access, Principal } from "../access/index.ts";
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
  app.addHook("onRequest", async (request) => {
    request.principal = await access.authenticate(request.headers.authorization);
  });
}

export function addSignedInRoutes(app: FastifyInstance, options: { readonly metrics: Metrics }): void {
  app.get(
    paths.whoami,
    (request): Whoami => ({
      name: (request.principal as Principal).name,
      kind: "admin-token",
      groups: [],
      bindings: [{ role: "admin", clusters: "all" }],
    }),
  );
  app.get("/metrics", async (_request, reply) => {
    const { metrics } = options;
    return reply.type(metrics.contentType).send(await metrics.render());
  });
}
