import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";
import type { AgentKind } from "./same-agent.ts";

const table = {
  LINK_CERTIFICATE_REQUIRED: {
    httpStatus: 401,
    message: "A link needs a client certificate of this hub.",
    hint: "Enroll first with a join token from `fairlead cluster add` or `fairlead cluster get`.",
  },
  LINK_PROOF_REQUIRED: {
    httpStatus: 401,
    message: "A link needs a client certificate of this hub, or the proof of one where TLS ends before the hub.",
    hint: "Update the agent: from this version on an agent sends the proof by itself.",
  },
  LINK_PROOF_INVALID: {
    httpStatus: 401,
    message: "The proof of the agent's certificate is invalid: {reason}.",
    hint: "Look at what stands between agent and hub: it may change or drop headers.",
  },
  /** This also happens where a balancer sends challenge and link to hubs on different databases. */
  LINK_PROOF_NONCE_UNKNOWN: {
    httpStatus: 401,
    retryable: true,
    message: "The proof answers a challenge that no hub on this database gave.",
    hint: "The agent asks again by itself. All hubs behind one address must share a database, and have the right time.",
  },
  LINK_PROOF_EXPIRED: {
    httpStatus: 401,
    retryable: true,
    message: "The proof answers a challenge that is older than a minute.",
    hint: "The agent asks again by itself; something on the way holds its requests back.",
  },
  LINK_PROOF_REPLAYED: {
    httpStatus: 401,
    message: "The proof was used before.",
    hint: "Something between agent and hub repeats requests, or someone read one there.",
  },
  LINK_PROOF_HOST_MISMATCH: {
    httpStatus: 401,
    message: "The proof was made for {host}, which isn't a name of this hub.",
    hint: "Give the hub the name that agents dial as --agent-public-url.",
  },
  LINK_CERTIFICATE_UNTRUSTED: {
    httpStatus: 401,
    message: "The client certificate isn't valid here: {reason}.",
    hint: "It comes from another hub or has ended: enroll again. See that the clocks of both sides are right.",
  },
  LINK_REQUEST_INVALID: {
    httpStatus: 400,
    message: "This isn't the request for a link: {reason}.",
    hint: "Fairlead's agents send valid ones: look at what stands between the agent and the hub.",
  },
  LINK_CREDENTIAL_MISMATCH: {
    httpStatus: 401,
    message: "The other hub knows its agents by another kind of identity than this one.",
    hint: "Give all hubs of a database the same settings for agents' identities.",
  },
  LINK_HUB_STOPPING: {
    httpStatus: 503,
    retryable: true,
    message: "The hub is stopping and takes no new links.",
    hint: "Agents come back by themselves.",
  },
  LINK_HELLO_MISMATCH: {
    httpStatus: 400,
    message: 'The agent says that it belongs to cluster "{told}", but its certificate is for "{cluster}".',
    hint: "Use one state folder or Secret per agent.",
  },
  LINK_PROTOCOL_UNSUPPORTED: {
    httpStatus: 400,
    message: "The agent speaks no protocol version that this hub speaks (it offers: {offered}).",
    hint: "Hub and agent work together up to two minor versions apart: update the older one.",
  },
  LINK_TOO_MANY_LINKS: {
    httpStatus: 429,
    retryable: true,
    message: 'Cluster "{cluster}" has too many links of agents with the roles {roles}, or begins them too often.',
    hint: "Run fewer replicas of the agent. If you don't run so many, look at who holds the cluster's certificate.",
  },
  LINK_HELLO_TOO_OFTEN: {
    httpStatus: 429,
    retryable: true,
    message: "The agent introduces itself too often on one link.",
  },
} as const;

export const linksErrors: Errors<typeof table> = defineErrors(table);

export function tooManyLinks({ cluster, roles }: AgentKind): FairleadError {
  return linksErrors.LINK_TOO_MANY_LINKS({ cluster, roles: roles.join(", ") });
}
