import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  /** The agent doesn't keep to the call's rules: it is broken, or isn't an agent. */
  INVENTORY_REQUEST_INVALID: {
    httpStatus: 400,
    message: "The agent's message isn't what the call takes: {reason}.",
    hint: "Hub and agent work together up to two minor versions apart: update the older one.",
    meaning: "An agent doesn't keep to the rules of the call.",
  },
  INVENTORY_OBJECT_INVALID: {
    httpStatus: 400,
    message: "The agent sent an invalid object of the kind {kind}: {reason}.",
    hint: "Update the agent; a hub keeps nothing that it can't check.",
    meaning: "An agent sent an object that isn't JSON, isn't the one that it says, or is larger than 4 MiB.",
  },
  INVENTORY_CREDIT_EXCEEDED: {
    httpStatus: 429,
    message: "The agent sent more than {allowedBytes} bytes before they were stored.",
    hint: "Update the agent; it begins again by itself.",
    meaning: "An agent sent more than it may before the hub has stored it.",
  },
  /** Said to the agent, whose call goes on: the cluster has used up its share. */
  INVENTORY_KINDS_TOO_MANY: {
    httpStatus: 429,
    message: 'Cluster "{cluster}" reports more than {maxKinds} kinds; those beyond aren\'t kept.',
    hint: "Observe fewer (--observe-include, --observe-exclude), or raise the hub's --inventory-cluster-max-kinds.",
    meaning:
      "A cluster's agent reports more kinds than the hub keeps of one cluster. The kinds beyond aren't kept; all else goes on.",
  },
  INVENTORY_GROUP_RESERVED: {
    httpStatus: 409,
    message:
      "Cluster \"{cluster}\" defines kinds in the group fairlead.dev, which is Fairlead's own; they aren't kept.",
    hint: "Update the agent, which then leaves them out by itself, or define the kinds in a group of your own.",
    meaning:
      "An agent reports a kind of its cluster in the group `fairlead.dev` or below it: it is of a version that doesn't know of that group. The kind isn't kept.",
  },
  INVENTORY_QUOTA_OBJECTS: {
    httpStatus: 429,
    message: 'Cluster "{cluster}" has {maxObjects} objects in the hub\'s copy, as many as it may; no others are kept.',
    hint: "Observe fewer (--observe-exclude, --observe-namespaces), or raise the hub's --inventory-cluster-max-objects.",
    meaning:
      "A cluster has as many objects in its copy as it may. New ones aren't kept, their kind is shown as unavailable; changes and deletions of others are.",
    remedy:
      "Observe fewer, or raise the hub's `--inventory-cluster-max-objects`. It recovers by itself when there is room.",
  },
  INVENTORY_QUOTA_BYTES: {
    httpStatus: 429,
    message: 'Cluster "{cluster}" fills the {maxBytes} bytes that its copy on the hub may take; no more is kept.',
    hint: "Observe fewer or smaller objects (--observe-exclude, --observe-max-object-size), or raise the hub's --inventory-cluster-max-size.",
    meaning:
      "A cluster's copy fills the disk that it may take. New objects aren't kept, and their kind is shown as unavailable; deletions are kept.",
    remedy:
      "Observe fewer or smaller objects, or raise the hub's `--inventory-cluster-max-size`. It recovers by itself when there is room.",
  },
  INVENTORY_ROLE_REQUIRED: {
    httpStatus: 403,
    message: "Only an agent with the role observe may report a cluster's objects.",
    hint: "Make a join token with --roles observe and enroll the agent with it.",
    meaning: "An agent without the role `observe` reports objects.",
  },
  INVENTORY_CLUSTER_REPLACED: {
    httpStatus: 409,
    message: "{message}",
    meaning:
      "Another cluster reports its objects under a name that the hub knows: `CLUSTER_IDENTITY_MISMATCH`, in the call that carries objects.",
    remedy: "As there.",
  },
  INVENTORY_NOT_LEADER: {
    httpStatus: 409,
    message: "Another agent leads the cluster's observers: this one's lease epoch is {epoch}, the hub has seen {seen}.",
    hint: "Nothing has to be done when another agent reports; if none does, look at the Lease in the agent's namespace.",
    meaning: "An agent reports although another one of its cluster leads.",
  },
  /** To the call that is ended when a newer one of the same cluster begins. */
  INVENTORY_SUPERSEDED: {
    httpStatus: 409,
    retryable: true,
    message: "A newer call of the same cluster has taken over.",
    hint: "Nothing has to be done.",
    meaning: "A newer report of the same cluster has taken over.",
  },
  INVENTORY_HISTORY_LOST: {
    httpStatus: 503,
    retryable: true,
    message: "The hub's database was put back to an older state; the copy is compared anew.",
    hint: "Agents come back by themselves. Find out why the database lost changes: a standby that lagged, or a restore.",
    meaning:
      "The database lost changes that the hub had, as when a standby that lagged took over, or a backup was restored. Agents compare anew, live subscriptions begin anew.",
    remedy: "Nothing for the copy, which repairs itself. Find out what else the database lost.",
  },
  INVENTORY_STOPPING: {
    httpStatus: 503,
    retryable: true,
    message: "The hub is stopping and takes no more changes.",
    hint: "Agents come back by themselves.",
    meaning: "The hub is stopping and ends the agents' reports.",
  },
  INVENTORY_CLUSTER_GONE: {
    httpStatus: 404,
    message: "The cluster was removed from the hub.",
    hint: "Stop the agent, or add the cluster again and enroll the agent with a new token.",
    meaning: "An agent reports for a cluster that was removed from the hub.",
  },
} as const;

export const inventoryErrors: Errors<typeof table> = defineErrors(table);

/** Says what the registry of clusters says, by the code that agents know in this call. */
export function clusterReplaced(cause: FairleadError): FairleadError {
  return inventoryErrors.INVENTORY_CLUSTER_REPLACED({ message: cause.message, hint: cause.hint, cause });
}

export function notLeader(options: { readonly epoch: bigint; readonly seen: bigint }): FairleadError {
  return inventoryErrors.INVENTORY_NOT_LEADER({ epoch: options.epoch, seen: options.seen });
}
