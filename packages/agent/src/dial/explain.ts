import { FairleadError } from "@fairlead/kernel";

/** What a failed connection to the hub means. Node's codes are precise; the sentences say what to look at. */
export function explainDialError(hub: URL, cause: unknown): FairleadError {
  const code = codeOf(cause);
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return hostMismatch(hub, cause);
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID") return certificateTime(hub, code, cause);
  if (untrusted.has(code)) return hubUntrusted(hub, cause);
  return unreachable(hub, code, cause);
}

function hostMismatch(hub: URL, cause: unknown): FairleadError {
  return new FairleadError({
    code: "LINK_HOST_MISMATCH",
    message: `The hub's certificate isn't valid for ${hub.hostname}.`,
    hint: "Use the host name that the hub was given as --agent-public-url, or add this one to the hub.",
    retryable: true,
    cause,
  });
}

function certificateTime(hub: URL, code: string, cause: unknown): FairleadError {
  return new FairleadError({
    code: "LINK_HUB_CERTIFICATE_TIME",
    message: `The certificate of ${hub.host} is ${code === "CERT_HAS_EXPIRED" ? "expired" : "not valid yet"}.`,
    hint: "Check the clocks of this machine and of the hub.",
    retryable: true,
    cause,
  });
}

function hubUntrusted(hub: URL, cause: unknown): FairleadError {
  return new FairleadError({
    code: "LINK_HUB_UNTRUSTED",
    message: `What answers at ${hub.host} isn't the hub that this agent enrolled with.`,
    hint: "If the hub was set up anew, give the agent a new join token; if something on the way ends TLS, --ca-file names the CA of its certificate.",
    retryable: true,
    cause,
  });
}

function unreachable(hub: URL, code: string, cause: unknown): FairleadError {
  return new FairleadError({
    code: "LINK_UNREACHABLE",
    message: `The hub at ${hub.host} can't be reached (${code || (cause instanceof Error ? cause.message : "unknown reason")}).`,
    hint: "Check the address, and that nothing on the way blocks outgoing connections to it.",
    retryable: true,
    cause,
  });
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
