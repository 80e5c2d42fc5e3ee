import type { FairleadError } from "@fairlead/kernel";
import { dialErrors } from "./errors.ts";

/** Says why a connection to the hub failed. Node's codes are precise; the sentences say what to look at. */
export function explainDialError(hub: URL, cause: unknown): FairleadError {
  const { host, hostname } = hub;
  const code = codeOf(cause);
  switch (code) {
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return dialErrors.LINK_HOST_MISMATCH({ hostname, cause });
    case "CERT_HAS_EXPIRED":
      return dialErrors.LINK_HUB_CERTIFICATE_TIME({ host, fault: "expired", cause });
    case "CERT_NOT_YET_VALID":
      return dialErrors.LINK_HUB_CERTIFICATE_TIME({ host, fault: "not valid yet", cause });
  }
  if (untrusted.has(code)) return dialErrors.LINK_HUB_UNTRUSTED({ host, cause });
  const reason = code || (cause instanceof Error ? cause.message : "unknown reason");
  return dialErrors.LINK_UNREACHABLE({ host, reason, cause });
}

function codeOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors.length > 0) return codeOf(cause.errors[0]);
  return cause instanceof Error && "code" in cause ? String(cause.code) : "";
}

const untrusted = new Set([
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "CERT_SIGNATURE_FAILURE",
  "CERT_UNTRUSTED",
]);
