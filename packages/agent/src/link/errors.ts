import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  LINK_HELLO_FAILED: {
    retryable: true,
    message: "The hub didn't welcome this agent: {reason}",
    hint: "If it doesn't pass by itself, compare the versions of hub and agent.",
    meaning: "The hub didn't answer the agent's first call.",
    remedy: "Usually passes; otherwise compare versions.",
  },
  LINK_CHALLENGE_INVALID: {
    retryable: true,
    message: "{host} answered with something that isn't a challenge.",
    hint: "Something on the way may answer in the hub's place; otherwise compare the versions of hub and agent.",
    meaning: "An agent asked for a challenge, and something that isn't a hub answered.",
    remedy: "Look at what stands between agent and hub.",
  },
  LINK_SUBPROTOCOL_REFUSED: {
    retryable: true,
    message: "The hub at {host} doesn't speak {subprotocol}.",
    hint: "The hub may be much newer or older than the agent; check both versions.",
    meaning: "Hub and agent have no link protocol in common.",
    remedy: "Compare their versions.",
  },
  LINK_MESH_NOT_TAKEN: {
    retryable: true,
    message: "The hub at {host} wants a certificate, but this agent has none: its mesh says who it is.",
    hint: "Start the hub with --mesh-identity-header, or the agent without --identity mesh and with a join token.",
    meaning: "An agent with `--identity mesh` has reached a hub that wants a certificate.",
  },
  LINK_NOT_USED: {
    message: "{message}",
    meaning: "An agent is connected and the hub sends it nothing. Its `/readyz` and its log have the hub's reason.",
    remedy: "Mostly `CLUSTER_IDENTITY_MISMATCH` or `CLUSTER_IDENTITY_UNPROVEN`: see there.",
  },
} as const;

export const linkErrors: Errors<typeof table> = defineErrors(table);
