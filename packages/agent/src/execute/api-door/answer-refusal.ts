import type { ServerResponse } from "node:http";
import { toFairleadError } from "@fairlead/kernel";

/** In the API server's shape, so that programs print the sentence. A cut answer never looks like a whole one. */
export function answerRefusal(response: ServerResponse, thrown: unknown): void {
  if (response.headersSent) return void response.destroy();
  const { code, message, hint = "", httpStatus } = toFairleadError(thrown);
  const wait = httpStatus === 429 ? { "retry-after": "1" } : {};
  response.writeHead(httpStatus, { "content-type": "application/json", "cache-control": "no-store", ...wait });
  response.end(
    JSON.stringify({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      code: httpStatus,
      message: `${message} ${hint}`.trim(),
      reason: reasons.get(httpStatus) ?? "InternalError",
      details: { causes: [{ reason: code, message }] },
    }),
  );
}

const reasons = new Map([
  [403, "Forbidden"],
  [404, "NotFound"],
  [429, "TooManyRequests"],
]);
