import { createId, toProblem } from "@fairlead/kernel";
import { type FastifyInstance, type FastifyReply, fastify } from "fastify";
import type { Logger } from "../telemetry/index.ts";
import { routeUnknown, serverErrors } from "./errors.ts";
import type { ExplainUnknown } from "./other-listener.ts";
import { type ApiCounters, answerWithProblems } from "./problems.ts";
import { readRemoteAddress } from "./remote-address.ts";

/** The framework for the hub's own API; it never listens by itself. */
export async function createApp(options: {
  readonly log: Logger;
  readonly bodyLimitBytes: number;
  readonly counters: ApiCounters;
  readonly explain?: ExplainUnknown;
  readonly routes: (app: FastifyInstance) => Promise<void> | void;
}): Promise<FastifyInstance> {
  const { log, bodyLimitBytes, counters, explain = routeUnknown, routes } = options;
  const app: FastifyInstance = fastify({
    // No logger: lines for each request would bury what matters, and our own handler logs the errors.
    bodyLimit: bodyLimitBytes,
    genReqId: (req) => readRequestId(req.headers["x-request-id"]),
    routerOptions: { maxParamLength: 256 },
    // An address that can't be decoded fails before there is a route.
    frameworkErrors(thrown, request, reply) {
      const error = serverErrors.API_REQUEST_INVALID({ httpStatus: 400, reason: thrown.message });
      const problem = JSON.stringify(toProblem(error, { requestId: request.id }));
      // Its types know no answers where there is no route.
      void (reply as unknown as FastifyReply).code(400).type("application/problem+json").send(problem);
    },
  });
  // Nothing is unpacked: a few bytes could become very many.
  app.addHook("onRequest", async ({ headers: { "content-encoding": coding = "identity" } }) => {
    if (coding.toLowerCase() === "identity") return;
    throw serverErrors.API_REQUEST_INVALID({ httpStatus: 415, reason: "a body with a Content-Encoding isn't taken" });
  });
  // All rooms get the same answer to "from where", whoever stands before the hub.
  app.addHook("onRequest", async (request) => {
    Object.defineProperty(request, "ip", { value: readRemoteAddress(request.raw) });
  });
  answerWithProblems(app, { counters, log, explain });
  await routes(app);
  await app.ready();
  return app;
}

function readRequestId(incoming: string | string[] | undefined): string {
  return typeof incoming === "string" && /^[A-Za-z0-9._:-]{1,64}$/.test(incoming) ? incoming : createId("req");
}
