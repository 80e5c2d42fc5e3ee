import { FairleadError } from "@fairlead/kernel";

export function headerRefused(name: string): FairleadError {
  return new FairleadError({
    code: "PROXY_HEADER_REFUSED",
    message: `The agent doesn't take the header ${JSON.stringify(name)} from outside: only it says who a request is from.`,
    hint: "Remove the header. A hub drops it before the agent sees it, so this one is broken or not a Fairlead hub.",
    httpStatus: 403,
  });
}

export function identityMissing(): FairleadError {
  return new FairleadError({
    code: "PROXY_IDENTITY_MISSING",
    message: "The agent passes nothing on without knowing who asks, and the hub didn't say.",
    hint: "The hub is older than this agent, or broken; bring it to this agent's version.",
    httpStatus: 403,
  });
}

export function identityInvalid(): FairleadError {
  return new FairleadError({
    code: "PROXY_IDENTITY_INVALID",
    message: "The name, uid or a group of who asks begins or ends with a blank, which no header line can carry.",
    hint: "Correct the user's name or groups where people sign in.",
    httpStatus: 403,
  });
}

export function requestInvalid(detail: string, cause?: unknown): FairleadError {
  return new FairleadError({
    code: "PROXY_REQUEST_INVALID",
    message: `The request can't be passed on to the API server: ${detail}.`,
    hint: "The client sent something that HTTP/1.1 doesn't allow.",
    httpStatus: 400,
    cause,
  });
}

export function upgradeRefused(token: string): FairleadError {
  return new FairleadError({
    code: "PROXY_UPGRADE_REFUSED",
    message: `Upgrades to ${JSON.stringify(token)} aren't passed on.`,
    hint: "Only websocket and SPDY/3.1 are.",
    httpStatus: 400,
  });
}

export function upgradeRedirected(status: number): FairleadError {
  return new FairleadError({
    code: "PROXY_UPGRADE_REDIRECTED",
    message: `The API server answered an upgrade with a redirect (${status}), which is never followed or passed on.`,
    hint: "What answers may not be an API server; check the server address that the agent uses.",
    httpStatus: 502,
  });
}

export function upstreamUnreachable(server: string, cause: unknown): FairleadError {
  return new FairleadError({
    code: "PROXY_UPSTREAM_UNREACHABLE",
    message: `The agent is connected, but can't reach its API server at ${server} (${reasonOf(cause)}).`,
    hint: "Check that the API server runs; the agent tries again with the next request.",
    httpStatus: 503,
    retryable: true,
    cause,
  });
}

export function upstreamUntrusted(server: string, cause: unknown): FairleadError {
  return new FairleadError({
    code: "PROXY_UPSTREAM_UNTRUSTED",
    message: `The agent doesn't trust the certificate of its API server at ${server} (${reasonOf(cause)}).`,
    hint: "Check the CA and the server name in the agent's kubeconfig.",
    httpStatus: 502,
    cause,
  });
}

export function upstreamBroken(server: string, cause: unknown): FairleadError {
  return new FairleadError({
    code: "PROXY_UPSTREAM_BROKEN",
    message: `The API server at ${server} closed the connection before it answered (${reasonOf(cause)}).`,
    hint: "Whether the request was carried out isn't known; look before you repeat it.",
    httpStatus: 502,
    cause,
  });
}

export function upstreamTimeout(server: string): FairleadError {
  return new FairleadError({
    code: "PROXY_UPSTREAM_TIMEOUT",
    message: `The API server at ${server} didn't answer in the time that the hub gave it.`,
    hint: "It may be overloaded; look at its load, then try again.",
    httpStatus: 504,
    retryable: true,
  });
}

export function credentialUnavailable(cause: unknown): FairleadError {
  return new FairleadError({
    code: "PROXY_CREDENTIAL_UNAVAILABLE",
    message: "The agent has no credential for its API server at the moment.",
    hint: "The agent's log says why: a token file that can't be read, or a credential plugin that failed.",
    httpStatus: 503,
    retryable: true,
    cause,
  });
}

/** The short code of a connection's failure (ECONNREFUSED …), which says enough and holds no secrets. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0]);
  if (cause instanceof Error) return "code" in cause ? String(cause.code) : cause.message;
  return "unknown reason";
}
