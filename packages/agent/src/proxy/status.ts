import type { FairleadError } from "@fairlead/kernel";
import type { LinkStream } from "@fairlead/protocol";

/** Answers a stream with an error of our own in the API server's shape, so that kubectl prints its sentence. */
export function answerStatus(stream: LinkStream, error: FairleadError, options: { method: string }): void {
  const body = Buffer.from(
    JSON.stringify({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: error.hint ? `${error.message} ${error.hint}` : error.message,
      reason: reasons[error.httpStatus] ?? "InternalError",
      details: { causes: [{ reason: error.code, message: error.message }] },
      code: error.httpStatus,
    }),
  );
  const headers = [
    "Content-Type",
    "application/json",
    "Content-Length",
    String(body.length),
    "Cache-Control",
    "no-store",
  ];
  if (error.httpStatus === 503) headers.push("Retry-After", "1");
  stream.respond({ status: error.httpStatus, headers });
  if (options.method !== "HEAD") stream.write(body);
  stream.end();
}

const reasons: Readonly<Record<number, string>> = {
  400: "BadRequest",
  403: "Forbidden",
  502: "ServiceUnavailable",
  503: "ServiceUnavailable",
  504: "Timeout",
};
