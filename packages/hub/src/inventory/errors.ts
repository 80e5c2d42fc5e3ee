import { FairleadError } from "@fairlead/kernel";

/** The agent doesn't keep to the call's rules: it is broken, or isn't an agent. */
export function requestInvalid(reason: string): FairleadError {
  return new FairleadError({
    code: "INVENTORY_REQUEST_INVALID",
    message: `The agent's message isn't what the call takes: ${reason}.`,
    hint: "Hub and agent work together up to two minor versions apart: update the older one.",
    httpStatus: 400,
  });
}

export function objectInvalid(kind: string, reason: string): FairleadError {
  return new FairleadError({
    code: "INVENTORY_OBJECT_INVALID",
    message: `The agent sent something as one of ${kind} that isn't: ${reason}.`,
    hint: "Update the agent; a hub keeps nothing that it can't check.",
    httpStatus: 400,
  });
}

export function creditExceeded(allowedBytes: number): FairleadError {
  return new FairleadError({
    code: "INVENTORY_CREDIT_EXCEEDED",
    message: `The agent sent more than the ${allowedBytes} bytes that it may before they are stored.`,
    hint: "Update the agent; it begins again by itself.",
    httpStatus: 429,
  });
}

/** Said to the agent, whose call goes on: the cluster has used up its share. */
export function kindsTooMany(cluster: string, maxKinds: number): FairleadError {
  return new FairleadError({
    code: "INVENTORY_KINDS_TOO_MANY",
    message: `Cluster "${cluster}" reports more than ${maxKinds} kinds; those beyond aren't kept.`,
    hint: "Observe fewer (--observe-include, --observe-exclude), or raise the hub's --inventory-cluster-max-kinds.",
    httpStatus: 429,
  });
}

export function quotaObjectsUsed(cluster: string, maxObjects: number): FairleadError {
  return new FairleadError({
    code: "INVENTORY_QUOTA_OBJECTS",
    message: `Cluster "${cluster}" has ${maxObjects} objects in the hub's copy, as many as it may; no others are kept.`,
    hint: "Observe fewer (--observe-exclude, --observe-namespaces), or raise the hub's --inventory-cluster-max-objects.",
    httpStatus: 429,
  });
}

export function quotaBytesUsed(cluster: string, maxBytes: number): FairleadError {
  return new FairleadError({
    code: "INVENTORY_QUOTA_BYTES",
    message: `Cluster "${cluster}" fills the ${maxBytes} bytes that its copy on the hub may take; no more is kept.`,
    hint: "Observe fewer or smaller objects (--observe-exclude, --observe-max-object-bytes), or raise the hub's --inventory-cluster-max-bytes.",
    httpStatus: 429,
  });
}

export function roleRequired(): FairleadError {
  return new FairleadError({
    code: "INVENTORY_ROLE_REQUIRED",
    message: "Only an agent with the role observe may report a cluster's objects.",
    hint: "Make a join token with --roles observe and enroll the agent with it.",
    httpStatus: 403,
  });
}

/** What the registry of clusters says, by the code that agents know in this call. */
export function clusterReplaced(cause: FairleadError): FairleadError {
  return new FairleadError({
    code: "INVENTORY_CLUSTER_REPLACED",
    message: cause.message,
    ...(cause.hint !== undefined && { hint: cause.hint }),
    httpStatus: 409,
    cause,
  });
}

export function notLeader(options: { readonly epoch: bigint; readonly seen: bigint }): FairleadError {
  return new FairleadError({
    code: "INVENTORY_NOT_LEADER",
    message: `Another agent leads the cluster's observers: this one's lease epoch is ${options.epoch}, the hub has seen ${options.seen}.`,
    hint: "Nothing has to be done when another agent reports; if none does, look at the Lease in the agent's namespace.",
    httpStatus: 409,
  });
}

/** To the call that is ended when a newer one of the same cluster begins. */
export function sessionSuperseded(): FairleadError {
  return new FairleadError({
    code: "INVENTORY_SUPERSEDED",
    message: "A newer call of the same cluster has taken over.",
    hint: "Nothing has to be done.",
    httpStatus: 409,
    retryable: true,
  });
}

export function inventoryStopping(): FairleadError {
  return new FairleadError({
    code: "INVENTORY_STOPPING",
    message: "The hub is stopping and takes no more changes.",
    hint: "Agents come back by themselves.",
    httpStatus: 503,
    retryable: true,
  });
}

export function clusterGone(): FairleadError {
  return new FairleadError({
    code: "INVENTORY_CLUSTER_GONE",
    message: "The cluster was removed from the hub.",
    hint: "Stop the agent, or add the cluster again and enroll the agent with a new token.",
    httpStatus: 404,
  });
}
