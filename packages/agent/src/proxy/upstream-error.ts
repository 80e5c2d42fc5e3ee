import type { FairleadError } from "@fairlead/kernel";
import { proxyErrors, upstreamBroken, upstreamUnreachable, upstreamUntrusted } from "./errors.ts";

/** Says to the caller why a request to the API server failed. */
export function explainUpstreamError(server: string, cause: Error): FairleadError {
  const code = codeOf(cause);
  if (code === "UND_ERR_INVALID_ARG" || code === "UND_ERR_NOT_SUPPORTED") {
    return proxyErrors.PROXY_REQUEST_INVALID({ detail: cause.message, cause });
  }
  if (code === "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH") {
    return proxyErrors.PROXY_REQUEST_INVALID({ detail: "its body isn't as long as announced", cause });
  }
  if (code === "UND_ERR_HEADERS_TIMEOUT") return proxyErrors.PROXY_UPSTREAM_TIMEOUT({ server });
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
