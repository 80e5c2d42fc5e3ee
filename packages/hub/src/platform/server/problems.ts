import { isFairleadError, toFairleadError, toProblem } from "@fairlead/kernel";
import type { FastifyError, FastifyInstance } from "fastify";
import type { Logger } from "../telemetry/index.ts";
import { serverErrors } from "./errors.ts";
import type { ExplainUnknown } from "./other-listener.ts";

export interface ApiCounters {
  readonly byStatus: Map<number, number>;
  readonly byErrorCode: Map<string, number>;
}

/** Every error of the API leaves as `application/problem+json` with its code; what we didn't foresee is logged. */
export function answerWithProblems(
  app: FastifyInstance,
  options: { readonly counters: ApiCounters; readonly log: Logger; readonly explain: ExplainUnknown },
): void {
  const { counters, log, explain } = options;
  app.setErrorHandler<FastifyError>((thrown, request, reply) => {
    const error = isFairleadError(thrown) ? thrown : toFairleadError(fromFastify(thrown));
    increment(counters.byErrorCode, error.code);
    request.failure = error;
    if (error.httpStatus >= 500) log.error({ err: error, requestId: request.id }, "request failed");
    if (error.httpStatus === 401) reply.header("www-authenticate", 'Bearer realm="fairlead"');
    if (error.httpStatus === 429 && error.retryable) reply.header("retry-after", "1");
    reply
      .code(error.httpStatus)
      .type("application/problem+json")
      .send(JSON.stringify(toProblem(error, { requestId: request.id })));
  });
  app.setNotFoundHandler((request) => {
    throw explain(request.raw.url);
  });
  app.addHook("onSend", async (request, reply) => {
    reply.header("x-request-id", request.id);
  });
  app.addHook("onResponse", async (_request, reply) => {
    increment(counters.byStatus, reply.statusCode);
  });
}

function fromFastify(thrown: FastifyError): unknown {
  const status = thrown.statusCode;
  if (status === undefined || status < 400 || status >= 500) return thrown;
  return serverErrors.API_REQUEST_INVALID({ httpStatus: status, reason: thrown.message });
}

function increment<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
