import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  LINK_CA_FILE_UNUSABLE: {
    retryable: true,
    message: "The CA file {path} can't be used: {detail}.",
    hint: "--ca-file names a PEM file of certificates to trust in addition, or `system`.",
    meaning: "The file that the agent was given as `--ca-file` is missing or holds no certificate.",
    remedy: "Name a PEM file, or `system` for what the machine trusts.",
  },
  CONFIG_PROXY_INVALID: {
    message: "{source} isn't the URL of an HTTP proxy.",
    hint: "It looks like http://USER:PASSWORD@HOST:PORT or https://HOST:PORT; other kinds of proxies aren't supported.",
    meaning: "The value of `--proxy` or HTTPS_PROXY isn't the URL of an HTTP proxy.",
  },
  LINK_PROXY_FAILED: {
    retryable: true,
    message: "The HTTP proxy {host} doesn't let the agent through: {detail}.",
    hint: "Check HTTPS_PROXY or --proxy, its credentials, and that it allows CONNECT to the hub; NO_PROXY names exceptions.",
    meaning: "The HTTP proxy from HTTPS_PROXY or `--proxy` does not let the agent through.",
  },
  ENROLL_CA_MISMATCH: {
    httpStatus: 502,
    message: "The server at {host} isn't the hub that made this token: its CA has another fingerprint.",
    hint: "Check the hub address and that the token is from this hub. The token was not sent. Where something on the way ends TLS, name its CA with --ca-file.",
    meaning:
      "Something answers at the hub's address that isn't the hub that made the join token (its CA has another fingerprint); the token was not sent.",
    remedy:
      "Check the address and that the token is from this hub; behind a load balancer that ends TLS, name its CA with `--ca-file`.",
  },
  LINK_NOT_A_HUB: {
    httpStatus: 502,
    retryable: true,
    message: "{host} answered with status {status}, not as a Fairlead hub does.",
    hint: "Check that --hub names the hub's agent listener, and that proxies on the way let WebSockets through.",
    meaning: "Something answers at the hub's address that isn't a Fairlead hub.",
  },
  LINK_HOST_MISMATCH: {
    retryable: true,
    message: "The hub's certificate isn't valid for {hostname}.",
    hint: "Use the host name that the hub was given as --agent-public-url, or add this one to the hub.",
    meaning: "The hub's certificate isn't valid for the host that the agent dials.",
  },
  LINK_HUB_CERTIFICATE_TIME: {
    retryable: true,
    message: "The certificate of {host} is {fault}.",
    hint: "Check the clocks of this machine and of the hub.",
    meaning: "The hub's certificate is expired or not yet valid by the agent's clock.",
    remedy: "Check both clocks.",
  },
  LINK_HUB_UNTRUSTED: {
    retryable: true,
    message: "The server at {host} isn't the hub that this agent enrolled with.",
    hint: "If the hub was set up anew, give the agent a new join token; if something on the way ends TLS, --ca-file names the CA of its certificate.",
    meaning: "Something answers that isn't the hub that the agent enrolled with.",
  },
  LINK_UNREACHABLE: {
    retryable: true,
    message: "The hub at {host} can't be reached ({reason}).",
    hint: "Check the address, and that nothing on the way blocks outgoing connections to it.",
    meaning: "The agent can't connect to the hub; it keeps trying.",
    remedy: "Check address, firewall and proxy.",
  },
} as const;

export const dialErrors: Errors<typeof table> = defineErrors(table);

export function proxyFailed(proxy: URL, detail: string, cause?: unknown): FairleadError {
  return dialErrors.LINK_PROXY_FAILED({ host: proxy.host, detail, cause });
}

export function caMismatch(hub: URL): FairleadError {
  return dialErrors.ENROLL_CA_MISMATCH({ host: hub.host });
}
