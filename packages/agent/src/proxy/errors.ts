import { defineErrors, type Errors, type FairleadError, reasonOf } from "@fairlead/kernel";

const table = {
  PROXY_HEADER_REFUSED: {
    httpStatus: 403,
    message: "The agent doesn't take the header {name} from outside: only it says who a request is from.",
    hint: "Remove the header. A hub drops it before the agent sees it, so this one is broken or not a Fairlead hub.",
    meaning: "A stream carried Authorization, Impersonate-* or X-Remote-*, which only the agent writes.",
  },
  PROXY_IDENTITY_MISSING: {
    httpStatus: 403,
    message: "The hub didn't say who asks, and without that the agent passes nothing on.",
    hint: "The hub is older than this agent, or broken; bring it to this agent's version.",
    meaning: "A hub opened a stream to the cluster's API without saying who asks, so the agent passes nothing on.",
  },
  PROXY_IDENTITY_INVALID: {
    httpStatus: 403,
    message:
      "The name, uid or a group of the person who asks begins or ends with a blank, which no header line can carry.",
    hint: "Correct the user's name or groups where people sign in.",
    meaning:
      "The user's name, uid or a group begins or ends with a blank; the agent can't tell the API server exactly.",
  },
  PROXY_REQUEST_INVALID: {
    httpStatus: 400,
    message: "The request can't be passed on to the API server: {detail}.",
    hint: "The client sent something that HTTP/1.1 doesn't allow.",
    meaning:
      "A request breaks HTTP/1.1, has a transfer coding other than chunked, or its body isn't as long as announced.",
    remedy: "Fix the client.",
  },
  PROXY_UPGRADE_REFUSED: {
    httpStatus: 400,
    message: "Upgrades to {token} aren't passed on.",
    hint: "Only websocket and SPDY/3.1 are.",
    meaning: "An upgrade to something other than websocket or SPDY/3.1.",
    remedy: "Use one of these.",
  },
  PROXY_UPGRADE_REDIRECTED: {
    httpStatus: 502,
    message: "The API server answered an upgrade with a redirect ({status}), which is never followed or passed on.",
    hint: "The server may not be an API server; check the server address that the agent uses.",
  },
  PROXY_UPSTREAM_UNREACHABLE: {
    httpStatus: 503,
    retryable: true,
    message: "The agent is connected, but can't reach its API server at {server} ({reason}).",
    hint: "Check that the API server runs; the agent tries again with the next request.",
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
    hint: "Whether the request was carried out isn't known; look before you repeat it.",
  },
  PROXY_UPSTREAM_TIMEOUT: {
    httpStatus: 504,
    retryable: true,
    message: "The API server at {server} didn't answer in the time that the hub gave it.",
    hint: "It may be overloaded; look at its load, then try again.",
    meaning: "The API server sent no answer within the request's deadline.",
  },
  PROXY_CREDENTIAL_UNAVAILABLE: {
    httpStatus: 503,
    retryable: true,
    message: "The agent has no credential for its API server at the moment.",
    hint: "The agent's log says why: a token file that can't be read, or a credential plugin that failed.",
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
