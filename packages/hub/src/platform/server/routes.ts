import { caPath, type HubVersion, hubOperations } from "@fairlead/contract";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { ApiLimits } from "../limits/index.ts";
import type { Metrics, Readiness } from "../telemetry/index.ts";
import type { SignedIn } from "./principal.ts";
import { createServe } from "./serve.ts";

/** Routes that anyone may call. */
export function addOpenRoutes(
  app: FastifyInstance,
  options: { readonly version: HubVersion; readonly caPem: () => string; readonly readiness: Readiness },
): void {
  const { version, caPem, readiness } = options;
  createServe(app)(hubOperations.version, () => version);
  app.get(caPath, (_request, reply) => reply.type("application/x-pem-file").send(caPem()));
  app.get("/healthz", (_request, reply) => reply.type("text/plain").send("ok\n"));
  app.get("/readyz", async (_request, reply) => {
    const report = await readiness.check();
    return reply.code(report.ready ? 200 : 503).send(report);
  });
}

/** From here on in this scope whoever asks is counted by the address, as nobody knows who it is. */
export function limitStrangers(app: FastifyInstance, limits: ApiLimits): void {
  app.addHook("onRequest", (request, reply, done) => {
    endWith(reply, limits.admitApi({ kind: "stranger", remoteAddress: request.ip }));
    done();
  });
}

/** From here on in this scope every route needs a principal, who has so many requests in flight and no more. */
export function requirePrincipal(
  app: FastifyInstance,
  options: { readonly access: Pick<SignedIn, "authenticate">; readonly limits: ApiLimits },
): void {
  const { access, limits } = options;
  app.decorateRequest("principal");
  app.addHook("onRequest", async (request, reply) => {
    request.principal = await access.authenticate(request.headers.authorization);
    const { uid, name } = request.principal;
    if (!request.routeOptions.config.isLong) endWith(reply, limits.admitApi({ kind: "user", uid, name }));
  });
}

/** Once its last byte is sent, or its client is gone. */
function endWith(reply: FastifyReply, end: () => void): void {
  if (reply.raw.destroyed) end();
  else reply.raw.once("close", end);
}

export function addSignedInRoutes(
  app: FastifyInstance,
  options: { readonly access: Pick<SignedIn, "require">; readonly metrics: Metrics },
): void {
  const { access, metrics } = options;
  app.get("/metrics", async (request, reply) => {
    access.require(request.principal, { verb: "get", resource: "metrics" });
    return reply.type(metrics.contentType).send(await metrics.render());
  });
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** An answer that goes on until its client leaves; its room bounds how many a user has. */
    isLong?: boolean;
  }
}
