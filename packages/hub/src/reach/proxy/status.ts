// Our own errors on this path are Kubernetes `Status` objects: kubectl and client-go print their message. An error that
// may pass within seconds says `Retry-After: 1`, and client-go asks again by itself. Any other says it with a date, the
// other form of RFC 9110: client-go reads only seconds, so it gives the error to its user at once.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { FairleadError } from "@fairlead/kernel";

export interface StatusOptions {
  readonly requestId: string;
  /** Close the connection afterwards: the client may hold back a body that it announced. */
  readonly close?: boolean | undefined;
  /** client-go throws the body of a failed discovery away and prints a stock phrase; a warning header it prints. */
  readonly warn?: boolean | undefined;
}

export function sendStatus(
  req: IncomingMessage,
  res: ServerResponse,
  error: FairleadError,
  options: StatusOptions,
): void {
  const body = Buffer.from(JSON.stringify(toStatus(error, options)));
  const headers = [
    "Content-Type",
    "application/json",
    "Content-Length",
    String(body.byteLength),
    "Cache-Control",
    "no-cache, private",
    "X-Request-Id",
    options.requestId,
  ];
  if (error.httpStatus === 401) headers.push("WWW-Authenticate", 'Bearer realm="fairlead"');
  if (error.retryable) headers.push("Retry-After", "1");
  else if (error.httpStatus === 503) headers.push("Retry-After", new Date(Date.now() + awayMs).toUTCString());
  if (options.warn) headers.push("Warning", `299 fairlead ${quote(error.message)}`);
  if (options.close) headers.push("Connection", "close");
  res.writeHead(error.httpStatus, headers);
  res.end(req.method === "HEAD" ? undefined : body);
}

/** Kubernetes' `meta/v1` Status of a failure. */
export interface Status {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: object;
  readonly status: "Failure";
  readonly message: string;
  readonly reason: string;
  readonly details: {
    readonly uid: string;
    readonly causes: readonly { readonly reason: string; readonly message: string }[];
    readonly retryAfterSeconds: number | undefined;
  };
  readonly code: number;
}

export function toStatus(error: FairleadError, options: Pick<StatusOptions, "requestId">): Status {
  const causes = [{ reason: error.code, message: error.hint ?? "" }];
  const retryAfterSeconds = error.retryable ? 1 : error.httpStatus === 503 ? awayMs / 1_000 : undefined;
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: error.message,
    reason: reasons[error.httpStatus] ?? "InternalError",
    details: { uid: options.requestId, causes, retryAfterSeconds },
    code: error.httpStatus,
  };
}

/** RFC 9110 quoted-string of what header lines can carry. */
function quote(text: string): string {
  return `"${text.replace(/[^\x20-\x7e]/g, "?").replace(/["\\]/g, "\\$&")}"`;
}

const awayMs = 30_000;
const reasons: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  429: "TooManyRequests",
  431: "RequestHeaderFieldsTooLarge",
  502: "BadGateway",
  503: "ServiceUnavailable",
  504: "Timeout",
};
