import { FairleadError } from "@fairlead/kernel";
import type { AgentKind } from "./same-agent.ts";

export function certificateRequired(): FairleadError {
  return new FairleadError({
    code: "LINK_CERTIFICATE_REQUIRED",
    message: "A link needs a client certificate of this hub.",
    hint: "Enroll first with a join token from `fairlead cluster add` or `fairlead cluster show`.",
    httpStatus: 401,
  });
}

export function proofRequired(): FairleadError {
  return new FairleadError({
    code: "LINK_PROOF_REQUIRED",
    message: "A link needs a client certificate of this hub, or the proof of one where TLS ends before the hub.",
    hint: "Agents from this version on prove themselves by themselves; update the agent.",
    httpStatus: 401,
  });
}

export function proofInvalid(reason: string): FairleadError {
  return new FairleadError({
    code: "LINK_PROOF_INVALID",
    message: `The proof of the agent's certificate isn't one: ${reason}.`,
    hint: "Look at what stands between agent and hub: it may change or drop headers.",
    httpStatus: 401,
  });
}

/** Also after a restart of the hub, and where a balancer sends challenge and link to different hubs. */
export function proofNonceUnknown(): FairleadError {
  return new FairleadError({
    code: "LINK_PROOF_NONCE_UNKNOWN",
    message: "The proof answers a challenge that this hub didn't give.",
    hint: "The agent asks again by itself. With several hubs behind one address, let a client stay with its hub.",
    httpStatus: 401,
    retryable: true,
  });
}

export function proofExpired(): FairleadError {
  return new FairleadError({
    code: "LINK_PROOF_EXPIRED",
    message: "The proof answers a challenge that is older than a minute.",
    hint: "The agent asks again by itself; something on the way holds its requests back.",
    httpStatus: 401,
    retryable: true,
  });
}

export function proofReplayed(): FairleadError {
  return new FairleadError({
    code: "LINK_PROOF_REPLAYED",
    message: "The proof was used before.",
    hint: "Something between agent and hub repeats requests, or someone read one there.",
    httpStatus: 401,
  });
}

export function proofForOtherHost(host: string): FairleadError {
  return new FairleadError({
    code: "LINK_PROOF_HOST_MISMATCH",
    message: `The proof was made for ${host}, which isn't a name of this hub.`,
    hint: "Give the hub the name that agents dial as --agent-public-url.",
    httpStatus: 401,
  });
}

export function certificateUntrusted(reason: string): FairleadError {
  return new FairleadError({
    code: "LINK_CERTIFICATE_UNTRUSTED",
    message: `The client certificate isn't valid here: ${reason}.`,
    hint: "It comes from another hub or has ended: enroll again. See that the clocks of both sides are right.",
    httpStatus: 401,
  });
}

export function linkRequestInvalid(reason: string): FairleadError {
  return new FairleadError({
    code: "LINK_REQUEST_INVALID",
    message: `This isn't the request for a link: ${reason}.`,
    hint: "An agent of Fairlead asks right; look at what stands between it and the hub.",
    httpStatus: 400,
  });
}

export function hubStopping(): FairleadError {
  return new FairleadError({
    code: "LINK_HUB_STOPPING",
    message: "The hub is stopping and takes no new links.",
    hint: "Agents come back by themselves.",
    httpStatus: 503,
    retryable: true,
  });
}

export function helloMismatch(told: string, cluster: string): FairleadError {
  return new FairleadError({
    code: "LINK_HELLO_MISMATCH",
    message: `The agent says that it is of cluster "${told}", its certificate is for "${cluster}".`,
    hint: "Use one state folder or Secret per agent.",
    httpStatus: 400,
  });
}

export function protocolUnsupported(versions: readonly number[]): FairleadError {
  return new FairleadError({
    code: "LINK_PROTOCOL_UNSUPPORTED",
    message: `The agent speaks no protocol version that this hub speaks (it offers: ${versions.join(", ") || "none"}).`,
    hint: "Hub and agent work together up to two minor versions apart: update the older one.",
    httpStatus: 400,
  });
}

export function tooManyLinks({ cluster, roles }: AgentKind): FairleadError {
  return new FairleadError({
    code: "LINK_TOO_MANY_LINKS",
    message: `Cluster "${cluster}" has too many links of agents with the roles ${roles.join(", ")}, or begins them too often.`,
    hint: "Run fewer replicas of the agent. If you don't run so many, look at who holds the cluster's certificate.",
    httpStatus: 429,
    retryable: true,
  });
}

export function helloTooOften(): FairleadError {
  return new FairleadError({
    code: "LINK_HELLO_TOO_OFTEN",
    message: "The agent introduces itself too often on one link.",
    httpStatus: 429,
    retryable: true,
  });
}
