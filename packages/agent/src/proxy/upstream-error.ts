import type { FairleadError } from "@fairlead/kernel";
import { requestInvalid, upstreamBroken, upstreamTimeout, upstreamUnreachable, upstreamUntrusted } from "./errors.ts";

/** What a failed request to the API server means for whoever asked. */
export function explainUpstreamError(server: string, cause: Error): FairleadError {
  const code = codeOf(cause);
  if (code === "UND_ERR_INVALID_ARG" || code === "UND_ERR_NOT_SUPPORTED") {
    return requestInvalid(cause.message, cause);
  }
  if (code === "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH") {
    return requestInvalid("its body isn't as long as announced", cause);
  }
  if (code === "UND_ERR_HEADERS_TIMEOUT") return upstreamTimeout(server);
  if (unreachable.has(code)) return upstreamUnreachable(server, cause);
  if (untrusted.test(code)) return upstreamUntrusted(server, cause);
  return upstreamBroken(server, cause);
}

function codeOf(cause: Error): string {
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return codeOf(cause.errors[0]);
  return "code" in cause ? String(cause.code) : "";
}

const unreachable = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
]);
const untrusted = /^(ERR_TLS|CERT_|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|ERR_SSL)/;
