import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";
import type { AgentKind } from "./same-agent.ts";

const table = {
  LINK_CERTIFICATE_REQUIRED: {
    httpStatus: 401,
    message: "A link requires a client certificate of this hub.",
    hint: "Enroll first with a join token from `fairlead cluster add`, or `fairlead cluster token create` for a registered cluster.",
    meaning: "An agent requested a link without a client certificate.",
  },
  LINK_PROOF_REQUIRED: {
    httpStatus: 401,
    message:
      "A link requires a client certificate of this hub or, behind a TLS-terminating proxy, a proof of possession.",
    hint: "Update the agent: agents from this version on send the proof automatically.",
    meaning: "An agent requested a link without a certificate or proof, at a hub that accepts proofs.",
    remedy: "Update the agent: newer agents send the proof automatically.",
  },
  LINK_PROOF_INVALID: {
    httpStatus: 401,
    message: "The agent's proof of possession is invalid: {reason}.",
    hint: "Check the proxies between agent and hub: one may change or drop headers.",
    meaning: "The agent's proof of possession is malformed or was signed with a different key.",
  },
  /** This also happens where a balancer sends challenge and link to hubs on different databases. */
  LINK_PROOF_NONCE_UNKNOWN: {
    httpStatus: 401,
    retryable: true,
    message: "The proof answers a challenge that no hub of this database issued.",
    hint: "The agent retries automatically. Check that all hubs behind one address share a database and have correct clocks.",
  },
  LINK_PROOF_EXPIRED: {
    httpStatus: 401,
    retryable: true,
    message: "The proof answers a challenge that is more than a minute old.",
    hint: "The agent retries automatically. If the error persists, find out what delays its requests.",
  },
  LINK_PROOF_REPLAYED: {
    httpStatus: 401,
    message: "The proof was already used.",
    hint: "Check the network between agent and hub: a proxy may repeat requests, or an attacker may have copied one.",
    meaning: "An agent's proof arrived twice.",
  },
  LINK_PROOF_HOST_MISMATCH: {
    httpStatus: 401,
    message: "The proof was made for {host}, which isn't a name of this hub.",
    hint: "Set the hub's --agent-public-url to the name that agents connect to.",
    meaning: "The agent's proof was made for a host name that isn't this hub's.",
  },
  LINK_CERTIFICATE_UNTRUSTED: {
    httpStatus: 401,
    message: "The client certificate isn't valid at this hub: {reason}.",
    hint: "The certificate belongs to another hub or has expired: enroll again. Check the clocks of both sides.",
    meaning: "This hub's authority didn't issue the client certificate, or TLS found another fault in it.",
  },
  LINK_REQUEST_INVALID: {
    httpStatus: 400,
    message: "The request isn't a valid link request: {reason}.",
    hint: "Check the proxies between the agent and the hub.",
    meaning: "A client that isn't an agent requested a link, or a proxy removed the WebSocket headers.",
  },
  LINK_CREDENTIAL_MISMATCH: {
    httpStatus: 401,
    message: "The other hub identifies its agents differently from this one.",
    hint: "Use the same settings for agents' identities at all hubs of a database.",
    meaning: "Another hub of the database forwarded an agent's connection, and that hub identifies agents differently.",
  },
  LINK_HUB_STOPPING: {
    httpStatus: 503,
    retryable: true,
    message: "The hub is stopping and accepts no new links.",
    hint: "No action needed: agents reconnect automatically.",
  },
  LINK_HELLO_MISMATCH: {
    httpStatus: 400,
    message: 'The agent reports that it belongs to cluster "{told}", but its certificate is for "{cluster}".',
    hint: "Use a separate state folder or Secret for each agent.",
    meaning: "The agent reports another cluster than its certificate names.",
  },
  LINK_PROTOCOL_UNSUPPORTED: {
    httpStatus: 400,
    message: "The agent and this hub have no protocol version in common (the agent offers: {offered}).",
    hint: "Hub and agent can be up to two minor versions apart: update the older one.",
    meaning: "Agent and hub have no protocol version in common.",
  },
  LINK_TOO_MANY_LINKS: {
    httpStatus: 429,
    retryable: true,
    message: 'Cluster "{cluster}" has too many links of agents with the roles {roles}, or opens them too often.',
    hint: "Run fewer replicas of the agent. If you don't run that many, find out who has the cluster's certificate.",
    meaning: "The cluster has 32 links of agents with the same roles or 64 in total, or opens more than two a second.",
  },
  LINK_HELLO_TOO_OFTEN: {
    httpStatus: 429,
    retryable: true,
    message: "The agent sent its hello message too often on one link.",
    meaning: "An agent sent its hello message more than 16 times on one link, and then more than once in 5 s.",
    remedy: "Find out who has the cluster's certificate: Fairlead's own agent doesn't do this.",
  },
} as const;

export const linksErrors: Errors<typeof table> = defineErrors(table);

export function tooManyLinks({ cluster, roles }: AgentKind): FairleadError {
  return linksErrors.LINK_TOO_MANY_LINKS({ cluster, roles: roles.join(", ") });
}
