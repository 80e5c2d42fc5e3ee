import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  EGRESS_HOST_REFUSED: {
    httpStatus: 403,
    message: "Programs of this command aren't allowed to reach {host} (rule {rule}): {reason}.",
    hint: "Ask the agent's operator to add the host to the policy file (execute.network.hosts).",
    meaning: "The agent's policy, or the command itself, doesn't allow its programs to reach the host.",
    remedy:
      "Add the host to `execute.network.hosts.allow` in the [policy file](agent-policy.md#rules). A chart's redirect needs the host in that list or in `execute.charts.repositories.allow`.",
  },
  EGRESS_ADDRESS_REFUSED: {
    httpStatus: 403,
    message: "Programs of commands aren't allowed to reach {host}: {reason}.",
    hint: "To allow a service on the agent's own machine, list it with its port in the policy file (127.0.0.1:5000).",
    meaning:
      "A program tried to reach an address that is closed to all programs: a metadata address, link-local, multicast, or a service on the agent's own machine that the policy doesn't list.",
    remedy:
      "Use another address. List a service on the agent's machine with its port in `execute.network.hosts.allow`, for example `127.0.0.1:5000`.",
  },
  EGRESS_KEY_INVALID: {
    httpStatus: 407,
    message: "The agent's proxy serves only programs of running commands, and this request isn't from one.",
    hint: "Use the proxy's address in HTTPS_PROXY, which contains the program's key.",
    meaning: "A request to the agent's proxy has no key, or the key of a command that has ended.",
    remedy: "Use the key in `HTTPS_PROXY`. Only programs of commands can use this proxy.",
  },
  EGRESS_REQUEST_INVALID: {
    httpStatus: 400,
    message: "The agent's proxy can't serve the request: {detail}.",
    hint: "Use CONNECT HOST:PORT, or a request for an http:// address.",
    meaning: "A request to the agent's proxy is neither `CONNECT HOST:PORT` nor for an `http://` address.",
    remedy: "Use HTTPS, SSH or HTTP through the proxy that `HTTPS_PROXY` names.",
  },
  EGRESS_TOO_MANY: {
    httpStatus: 503,
    retryable: true,
    message: "{whose} reached the maximum of {limit} connections through the agent's proxy.",
    hint: "Configure the programs to open fewer connections at once (for OpenTofu: parallelism).",
    meaning: "A command has 64 connections through the agent's proxy, or all commands together have 256.",
    remedy: "Lower the parallelism, or retry later.",
  },
  EGRESS_UNREACHABLE: {
    httpStatus: 502,
    retryable: true,
    message: "The agent can't reach {host} ({reason}).",
    hint: "Check the address, the cluster's DNS, network policies, and the agent's HTTPS_PROXY and NO_PROXY.",
    meaning: "The agent's proxy can't connect to the host within 30 seconds.",
  },
} as const;

export const egressErrors: Errors<typeof table> = defineErrors(table);
