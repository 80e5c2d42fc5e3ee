import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";
import type { AgentKind } from "./same-agent.ts";

const table = {
  LINK_CERTIFICATE_REQUIRED: {
    httpStatus: 401,
    message: "A link needs a client certificate of this hub.",
    hint: "Enroll first with a join token from `fairlead cluster add`, or `fairlead cluster token create` for a registered cluster.",
    meaning: "An agent asked for a link without a client certificate.",
  },
  LINK_PROOF_REQUIRED: {
    httpStatus: 401,
    message: "A link needs a client certificate of this hub, or the proof of one where TLS ends before the hub.",
    hint: "Update the agent: from this version on an agent sends the proof by itself.",
    meaning: "A link was asked for without a certificate, at a hub that takes proofs.",
    remedy: "Update the agent: newer ones send the proof by themselves.",
  },
  LINK_PROOF_INVALID: {
    httpStatus: 401,
    message: "The proof of the agent's certificate is invalid: {reason}.",
    hint: "Look at what stands between agent and hub: it may change or drop headers.",
    meaning:
      "The proof that an agent sent in place of its certificate isn't readable, or not by the certificate's key.",
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
    meaning: "An agent's proof answers a challenge that is older than a minute.",
  },
  LINK_PROOF_REPLAYED: {
    httpStatus: 401,
    message: "The proof was used before.",
    hint: "Something between agent and hub repeats requests, or someone read one there.",
    meaning: "An agent's proof came a second time.",
  },
  LINK_PROOF_HOST_MISMATCH: {
    httpStatus: 401,
    message: "The proof was made for {host}, which isn't a name of this hub.",
    hint: "Give the hub the name that agents dial as --agent-public-url.",
    meaning: "An agent's proof was made for a host name that isn't this hub's.",
  },
  LINK_CERTIFICATE_UNTRUSTED: {
    httpStatus: 401,
    message: "The client certificate isn't valid here: {reason}.",
    hint: "It comes from another hub or has ended: enroll again. See that the clocks of both sides are right.",
    meaning: "The client certificate wasn't issued by this hub's authority, or TLS found another fault in it.",
  },
  LINK_REQUEST_INVALID: {
    httpStatus: 400,
    message: "This isn't the request for a link: {reason}.",
    hint: "Fairlead's agents send valid ones: look at what stands between the agent and the hub.",
    meaning: "Something that isn't an agent asks for a link, or a proxy on the way took the WebSocket headers away.",
  },
  LINK_CREDENTIAL_MISMATCH: {
    httpStatus: 401,
    message: "The other hub knows its agents by another kind of identity than this one.",
    hint: "Give all hubs of a database the same settings for agents' identities.",
    meaning:
      "An agent's connection came from another hub of the database, which knows agents by another kind of identity.",
  },
  LINK_HUB_STOPPING: {
    httpStatus: 503,
    retryable: true,
    message: "The hub is stopping and takes no new links.",
    hint: "Agents come back by themselves.",
    remedy: "Nothing: agents come back by themselves.",
  },
  LINK_HELLO_MISMATCH: {
    httpStatus: 400,
    message: 'The agent says that it belongs to cluster "{told}", but its certificate is for "{cluster}".',
    hint: "Use one state folder or Secret per agent.",
    meaning: "An agent says that it is of another cluster than its certificate.",
    remedy: "Give every agent a state folder or Secret of its own.",
  },
  LINK_PROTOCOL_UNSUPPORTED: {
    httpStatus: 400,
    message: "The agent speaks no protocol version that this hub speaks (it offers: {offered}).",
    hint: "Hub and agent work together up to two minor versions apart: update the older one.",
    meaning: "Agent and hub have no protocol version in common.",
  },
  LINK_TOO_MANY_LINKS: {
    httpStatus: 429,
    retryable: true,
    message: 'Cluster "{cluster}" has too many links of agents with the roles {roles}, or begins them too often.',
    hint: "Run fewer replicas of the agent. If you don't run so many, look at who holds the cluster's certificate.",
    meaning:
      "The cluster has 32 links of agents with the same roles, or 64 in all, or begins new ones more than twice a second.",
  },
  LINK_HELLO_TOO_OFTEN: {
    httpStatus: 429,
    retryable: true,
    message: "The agent introduces itself too often on one link.",
    meaning: "An agent introduced itself on one link more than 16 times, and then more than once in 5 s.",
    remedy: "An agent of Fairlead doesn't: look at who holds the cluster's certificate.",
  },
} as const;

export const linksErrors: Errors<typeof table> = defineErrors(table);

export function tooManyLinks({ cluster, roles }: AgentKind): FairleadError {
  return linksErrors.LINK_TOO_MANY_LINKS({ cluster, roles: roles.join(", ") });
}
