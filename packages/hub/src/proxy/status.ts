// Our own errors on this path are Kubernetes `Status` objects: kubectl and client-go print their message, and retry by
// `Retry-After`.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { FairleadError } from "@fairlead/kernel";

export interface StatusOptions {
  readonly requestId: string;
  /** Close the connection afterwards: the client may hold back a body that it announced. */
  readonly close?: boolean | undefined;
  /** kubectl reads "not found" on discovery as an empty answer and hides the message; another reason is printed. */
  readonly discovery?: boolean | undefined;
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
  if (options.close) headers.push("Connection", "close");
  res.writeHead(error.httpStatus, headers);
  res.end(req.method === "HEAD" ? undefined : body);
}

export function toStatus(error: FairleadError, options: StatusOptions): object {
  const causes = [{ reason: error.code, message: error.hint ?? "" }];
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: error.message,
    reason:
      options.discovery && error.httpStatus === 404 ? "BadRequest" : (reasons[error.httpStatus] ?? "InternalError"),
    details: { uid: options.requestId, causes, ...(error.retryable ? { retryAfterSeconds: 1 } : {}) },
    code: error.httpStatus,
  };
}

const reasons: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  429: "TooManyRequests",
  502: "BadGateway",
  503: "ServiceUnavailable",
  504: "Timeout",
};
