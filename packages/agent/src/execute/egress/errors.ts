import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  EGRESS_HOST_REFUSED: {
    httpStatus: 403,
    message: "Programs of this command may not reach {host} (rule {rule}): {reason}.",
    hint: "The people who run the agent list hosts in its policy file (execute.network.hosts).",
    meaning: "The agent's policy, or the command itself, doesn't let its programs reach the host.",
    remedy:
      "Add it to `execute.network.hosts.allow` of the [policy file](agent-policy.md#rules). For a chart's redirect that list, or `execute.charts.repositories.allow`, needs the host.",
  },
  EGRESS_ADDRESS_REFUSED: {
    httpStatus: 403,
    message: "Programs of commands may not reach {host}: {reason}.",
    hint: "Something on the agent's own machine is reached where its policy file lists it with its port (127.0.0.1:5000).",
    meaning:
      "A program wants to reach an address that no program may: a metadata address, link-local, multicast, or something on the agent's own machine that the policy doesn't list.",
    remedy:
      "Use another address. List what is on the agent's machine with its port: `127.0.0.1:5000` in `execute.network.hosts.allow`.",
  },
  EGRESS_KEY_INVALID: {
    httpStatus: 407,
    message: "The agent's proxy is for programs of commands that run, and this request isn't of one.",
    hint: "Programs get the proxy's address with their key in HTTPS_PROXY.",
    meaning: "A request to the agent's proxy has no key, or that of a command that is over.",
    remedy: "Programs of commands get their key in `HTTPS_PROXY`; nothing else may use this proxy.",
  },
  EGRESS_REQUEST_INVALID: {
    httpStatus: 400,
    message: "The agent's proxy can't serve the request: {detail}.",
    hint: "It takes CONNECT HOST:PORT, and requests for http:// addresses.",
    meaning: "A request to the agent's proxy is neither `CONNECT HOST:PORT` nor for an `http://` address.",
    remedy: "Use HTTPS, SSH or HTTP through a proxy that is named in `HTTPS_PROXY`.",
  },
  EGRESS_TOO_MANY: {
    httpStatus: 503,
    retryable: true,
    message: "{whose} has {limit} connections through the agent's proxy, which is the most.",
    hint: "Have its programs open fewer at a time (for OpenTofu: parallelism).",
    meaning: "A command has 64 connections through the agent's proxy, or all commands have 256.",
    remedy: "Lower the parallelism, or try again later.",
  },
  EGRESS_UNREACHABLE: {
    httpStatus: 502,
    retryable: true,
    message: "{host} can't be reached from the agent ({reason}).",
    hint: "Check the address, the cluster's DNS, network policies, and the agent's HTTPS_PROXY and NO_PROXY.",
    meaning: "The agent's proxy can't connect to the host within 30 seconds.",
  },
} as const;

export const egressErrors: Errors<typeof table> = defineErrors(table);
