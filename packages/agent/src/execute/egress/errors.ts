import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  EGRESS_HOST_REFUSED: {
    httpStatus: 403,
    message: "Programs of this command may not reach {host} (rule {rule}): {reason}.",
    hint: "The people who run the agent list hosts in its policy file (execute.network.hosts).",
  },
  EGRESS_ADDRESS_REFUSED: {
    httpStatus: 403,
    message: "Programs of commands may not reach {host}: {reason}.",
    hint: "Something on the agent's own machine is reached where its policy file lists it with its port (127.0.0.1:5000).",
  },
  EGRESS_KEY_INVALID: {
    httpStatus: 407,
    message: "The agent's proxy is for programs of commands that run, and this request isn't of one.",
    hint: "Programs get the proxy's address with their key in HTTPS_PROXY.",
  },
  EGRESS_REQUEST_INVALID: {
    httpStatus: 400,
    message: "The agent's proxy can't serve the request: {detail}.",
    hint: "It takes CONNECT HOST:PORT, and requests for http:// addresses.",
  },
  EGRESS_TOO_MANY: {
    httpStatus: 503,
    retryable: true,
    message: "{whose} has {limit} connections through the agent's proxy, which is the most.",
    hint: "Have its programs open fewer at a time (for OpenTofu: parallelism).",
  },
  EGRESS_UNREACHABLE: {
    httpStatus: 502,
    retryable: true,
    message: "{host} can't be reached from the agent ({reason}).",
    hint: "Check the address, the cluster's DNS, network policies, and the agent's HTTPS_PROXY and NO_PROXY.",
  },
} as const;

export const egressErrors: Errors<typeof table> = defineErrors(table);
