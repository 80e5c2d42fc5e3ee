import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  LINK_HELLO_FAILED: {
    retryable: true,
    message: "The agent's first call to the hub failed: {reason}",
    hint: "Wait: this usually passes by itself. If it doesn't, compare the versions of hub and agent.",
    meaning: "The agent's first call to the hub failed.",
  },
  LINK_CHALLENGE_INVALID: {
    retryable: true,
    message: "The answer from {host} isn't a challenge.",
    hint: "Check whether a proxy or load balancer answers in the hub's place. Otherwise, compare the versions of hub and agent.",
    meaning: "The agent requested a challenge, and the server that answered isn't a hub.",
    remedy: "Check the proxies and load balancers between agent and hub.",
  },
  LINK_SUBPROTOCOL_REFUSED: {
    retryable: true,
    message: "The hub at {host} doesn't support {subprotocol}.",
    hint: "Compare the versions of hub and agent: they may be too far apart.",
    meaning: "Hub and agent have no link protocol in common.",
  },
  LINK_MESH_NOT_TAKEN: {
    retryable: true,
    message: "The hub at {host} requires a certificate, but this agent has none: its mesh identifies it.",
    hint: "Start the hub with --mesh-identity-header, or start the agent with a join token and without --identity mesh.",
    meaning: "An agent with `--identity mesh` connected to a hub that requires a certificate.",
  },
  LINK_NOT_USED: {
    message: "{message}",
    meaning:
      "The agent is connected, but the hub sends it nothing. The agent's `/readyz` and log give the hub's reason.",
    remedy: "See `CLUSTER_IDENTITY_MISMATCH` and `CLUSTER_IDENTITY_UNPROVEN`, the most frequent causes.",
  },
} as const;

export const linkErrors: Errors<typeof table> = defineErrors(table);
