import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  LINK_CA_FILE_UNUSABLE: {
    retryable: true,
    message: "The CA file {path} can't be used: {detail}.",
    hint: "Set --ca-file to a PEM file of additional trusted certificates, or to `system`.",
    meaning: "The file named by `--ca-file` is missing or contains no certificate.",
    remedy: "Name a PEM file, or use `system` to trust the machine's own CAs.",
  },
  CONFIG_PROXY_INVALID: {
    message: "{source} isn't the URL of an HTTP proxy.",
    hint: "Use http://USER:PASSWORD@HOST:PORT or https://HOST:PORT. Other kinds of proxies aren't supported.",
    meaning: "The value of `--proxy` or HTTPS_PROXY isn't the URL of an HTTP proxy.",
  },
  LINK_PROXY_FAILED: {
    retryable: true,
    message: "The agent can't connect through the HTTP proxy {host}: {detail}.",
    hint: "Check HTTPS_PROXY or --proxy, its credentials, and that it allows CONNECT to the hub. NO_PROXY lists exceptions.",
    meaning: "The agent can't connect through the HTTP proxy that HTTPS_PROXY or `--proxy` names.",
  },
  ENROLL_CA_MISMATCH: {
    httpStatus: 502,
    message: "The server at {host} isn't the hub that made this token: its CA has a different fingerprint.",
    hint: "Check the hub's address, and that the token is from this hub. The agent didn't send the token. If a proxy or load balancer terminates TLS, name its CA with --ca-file.",
    meaning:
      "The server at the hub's address isn't the hub that made the join token: its CA has a different fingerprint. The agent didn't send the token.",
    remedy:
      "Check the address, and that the token is from this hub. Behind a load balancer that terminates TLS, name its CA with `--ca-file`.",
  },
  LINK_NOT_A_HUB: {
    httpStatus: 502,
    retryable: true,
    message: "The server at {host} isn't a Fairlead hub: it answered with status {status}.",
    hint: "Check that --hub names the hub's agent listener, and that proxies in between allow WebSockets.",
    meaning: "The server at the hub's address isn't a Fairlead hub.",
  },
  LINK_HOST_MISMATCH: {
    retryable: true,
    message: "The hub's certificate isn't valid for {hostname}.",
    hint: "Use the host name of the hub's --agent-public-url, or add this one to the hub.",
    meaning: "The hub's certificate isn't valid for the host name that the agent dials.",
  },
  LINK_HUB_CERTIFICATE_TIME: {
    retryable: true,
    message: "The certificate of {host} is {fault}.",
    hint: "Check the clocks of this machine and of the hub.",
    meaning: "The hub's certificate has expired or isn't valid yet, by the agent's clock.",
  },
  LINK_HUB_UNTRUSTED: {
    retryable: true,
    message: "The server at {host} isn't the hub that this agent enrolled with.",
    hint: "If the hub was reinstalled, give the agent a new join token. If a proxy or load balancer terminates TLS, name its CA with --ca-file.",
    meaning: "The server at the hub's address isn't the hub that the agent enrolled with.",
  },
  LINK_UNREACHABLE: {
    retryable: true,
    message: "The hub at {host} can't be reached ({reason}).",
    hint: "Check the address, and that no firewall or proxy blocks outgoing connections to it.",
    meaning: "The agent can't connect to the hub. It keeps retrying.",
    remedy: "Check the address, the firewall and the proxy.",
  },
} as const;

export const dialErrors: Errors<typeof table> = defineErrors(table);

export function proxyFailed(proxy: URL, detail: string, cause?: unknown): FairleadError {
  return dialErrors.LINK_PROXY_FAILED({ host: proxy.host, detail, cause });
}

export function caMismatch(hub: URL): FairleadError {
  return dialErrors.ENROLL_CA_MISMATCH({ host: hub.host });
}
