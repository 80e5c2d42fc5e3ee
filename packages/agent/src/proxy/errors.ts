import { defineErrors, type Errors, type FairleadError, reasonOf } from "@fairlead/kernel";

const table = {
  PROXY_HEADER_REFUSED: {
    httpStatus: 403,
    message: "The agent rejects the header {name}: only the agent sets a request's identity.",
    hint: "Remove the header. A hub drops it before the agent sees it, so the sender is a broken hub or not a Fairlead hub.",
    meaning: "A stream carried Authorization, Impersonate-* or X-Remote-*, which only the agent writes.",
  },
  PROXY_IDENTITY_MISSING: {
    httpStatus: 403,
    message: "The hub didn't send the caller's identity, so the agent rejected the request.",
    hint: "Upgrade the hub to this agent's version: it is older, or broken.",
    meaning: "A hub opened a stream to the cluster's API without the caller's identity, so the agent rejected it.",
  },
  PROXY_IDENTITY_INVALID: {
    httpStatus: 403,
    message: "The caller's name, UID or a group begins or ends with whitespace, which no header can carry.",
    hint: "Correct the user's name or groups at the identity provider.",
    meaning:
      "The caller's name, UID or a group begins or ends with whitespace, so the agent can't pass it to the API server unchanged.",
  },
  PROXY_REQUEST_INVALID: {
    httpStatus: 400,
    message: "The request can't be forwarded to the API server: {detail}.",
    hint: "Fix the client: its request violates HTTP/1.1.",
    meaning:
      "A request violates HTTP/1.1, uses a transfer coding other than chunked, or has a body of a different length than announced.",
  },
  PROXY_UPGRADE_REFUSED: {
    httpStatus: 400,
    message: "The agent doesn't forward upgrades to {token}.",
    hint: "Use websocket or SPDY/3.1.",
    meaning: "The request upgrades to a protocol other than websocket or SPDY/3.1.",
  },
  PROXY_UPGRADE_REDIRECTED: {
    httpStatus: 502,
    message:
      "The API server answered an upgrade with a redirect ({status}), which the agent neither follows nor forwards.",
    hint: "Check the server address that the agent uses: it may not be an API server.",
  },
  PROXY_UPSTREAM_UNREACHABLE: {
    httpStatus: 503,
    retryable: true,
    message: "The agent is connected, but can't reach its API server at {server} ({reason}).",
    hint: "Check that the API server is running. The agent tries again with the next request.",
  },
  PROXY_UPSTREAM_UNTRUSTED: {
    httpStatus: 502,
    message: "The agent doesn't trust the certificate of its API server at {server} ({reason}).",
    hint: "Check the CA and the server name in the agent's kubeconfig.",
    meaning: "The API server's certificate isn't trusted by the agent.",
  },
  PROXY_UPSTREAM_BROKEN: {
    httpStatus: 502,
    message: "The API server at {server} closed the connection before it answered ({reason}).",
    hint: "Check whether the request took effect before you repeat it.",
  },
  PROXY_UPSTREAM_TIMEOUT: {
    httpStatus: 504,
    retryable: true,
    message: "The API server at {server} didn't answer within the hub's deadline.",
    hint: "Check the API server's load, then retry.",
    meaning: "The API server didn't answer within the request's deadline.",
  },
  PROXY_CREDENTIAL_UNAVAILABLE: {
    httpStatus: 503,
    retryable: true,
    message: "The agent has no credential for its API server at the moment.",
    hint: "See the agent's log for the reason: a token file that can't be read, or a credential plugin that failed.",
  },
} as const;

export const proxyErrors: Errors<typeof table> = defineErrors(table);

export function headerRefused(name: string): FairleadError {
  return proxyErrors.PROXY_HEADER_REFUSED({ name: JSON.stringify(name) });
}

export function upgradeRefused(token: string): FairleadError {
  return proxyErrors.PROXY_UPGRADE_REFUSED({ token: JSON.stringify(token) });
}

export function upstreamUnreachable(server: string, cause: unknown): FairleadError {
  return proxyErrors.PROXY_UPSTREAM_UNREACHABLE({ server, reason: reasonOf(cause), cause });
}

export function upstreamUntrusted(server: string, cause: unknown): FairleadError {
  return proxyErrors.PROXY_UPSTREAM_UNTRUSTED({ server, reason: reasonOf(cause), cause });
}

export function upstreamBroken(server: string, cause: unknown): FairleadError {
  return proxyErrors.PROXY_UPSTREAM_BROKEN({ server, reason: reasonOf(cause), cause });
}
