import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  /** The agent doesn't keep to the call's rules: it is broken, or isn't an agent. */
  INVENTORY_REQUEST_INVALID: {
    httpStatus: 400,
    message: "The agent's message is invalid: {reason}.",
    hint: "Hub and agent can be up to two minor versions apart: update the older one.",
    meaning: "An agent broke the rules of the call.",
  },
  INVENTORY_OBJECT_INVALID: {
    httpStatus: 400,
    message: "The agent sent an invalid object of the kind {kind}: {reason}.",
    hint: "Update the agent.",
    meaning: "An agent sent an object that isn't JSON, doesn't match its own description, or is larger than 4 MiB.",
  },
  INVENTORY_CREDIT_EXCEEDED: {
    httpStatus: 429,
    message: "The agent sent more than {allowedBytes} bytes that the hub hadn't stored yet.",
    hint: "Update the agent. It restarts the transfer automatically.",
    meaning: "An agent sent more data than its credit allows before the hub stored it.",
  },
  /** Said to the agent, whose call goes on: the cluster has used up its share. */
  INVENTORY_KINDS_TOO_MANY: {
    httpStatus: 429,
    message: 'Cluster "{cluster}" reports more than {maxKinds} kinds; the hub ignores the rest.',
    hint: "Observe fewer kinds (--observe-include, --observe-exclude), or raise the hub's --inventory-cluster-max-kinds.",
    meaning:
      "A cluster's agent reports more kinds than the hub keeps per cluster. The hub ignores the rest; everything else continues.",
  },
  INVENTORY_GROUP_RESERVED: {
    httpStatus: 409,
    message:
      'Cluster "{cluster}" defines kinds in the group fairlead.dev, which is reserved for Fairlead; the hub ignores them.',
    hint: "Update the agent, which then leaves out these kinds, or define the kinds in your own group.",
    meaning:
      "An older agent reports a kind of its cluster in the group `fairlead.dev` or a subgroup, which is reserved. The hub ignores the kind.",
  },
  INVENTORY_QUOTA_OBJECTS: {
    httpStatus: 429,
    message:
      "Cluster \"{cluster}\" reached its quota of {maxObjects} objects in the hub's copy; the hub doesn't store new ones.",
    hint: "Observe fewer objects (--observe-exclude, --observe-namespaces), or raise the hub's --inventory-cluster-max-objects.",
    meaning:
      "A cluster reached its quota of objects in the hub's copy. The hub doesn't store new objects and shows their kind as unavailable; it still applies changes and deletions of other objects.",
    remedy:
      "Observe fewer objects, or raise the hub's `--inventory-cluster-max-objects`. The copy recovers automatically when there is room.",
  },
  INVENTORY_QUOTA_BYTES: {
    httpStatus: 429,
    message:
      "Cluster \"{cluster}\" reached its quota of {maxBytes} bytes for the hub's copy; the hub doesn't store more.",
    hint: "Observe fewer or smaller objects (--observe-exclude, --observe-max-object-size), or raise the hub's --inventory-cluster-max-size.",
    meaning:
      "A cluster's copy reached its disk quota. The hub doesn't store new objects and shows their kind as unavailable; it still applies deletions.",
    remedy:
      "Observe fewer or smaller objects, or raise the hub's `--inventory-cluster-max-size`. The copy recovers automatically when there is room.",
  },
  INVENTORY_ROLE_REQUIRED: {
    httpStatus: 403,
    message: "Only an agent with the role observe can report a cluster's objects.",
    hint: "Create a join token with --role observe and enroll the agent with it.",
    meaning: "An agent without the role `observe` reported objects.",
  },
  INVENTORY_CLUSTER_REPLACED: {
    httpStatus: 409,
    message: "{message}",
    meaning:
      "Another cluster reports objects under a known name: `CLUSTER_IDENTITY_MISMATCH`, in the call that carries objects.",
    remedy: "See `CLUSTER_IDENTITY_MISMATCH`.",
  },
  INVENTORY_NOT_LEADER: {
    httpStatus: 409,
    message:
      "Another agent is the leader of the cluster's observers: this agent's lease epoch is {epoch}, the hub has seen {seen}.",
    hint: "No action needed if another agent reports. If none does, check the Lease in the agent's namespace.",
    meaning: "An agent reported objects while another agent of its cluster is the leader.",
  },
  /** To the call that is ended when a newer one of the same cluster begins. */
  INVENTORY_SUPERSEDED: {
    httpStatus: 409,
    retryable: true,
    message: "A newer call of the same cluster replaced this one.",
    hint: "No action needed.",
  },
  INVENTORY_HISTORY_LOST: {
    httpStatus: 503,
    retryable: true,
    message: "The hub's database went back to an older state, so the hub compares its copy again.",
    hint: "Agents reconnect automatically. Find out why the database lost changes: failover to a lagging standby, or a restore.",
    meaning:
      "The database lost changes that the hub had seen, for example after failover to a lagging standby or a restore. Agents compare again, and live subscriptions restart.",
    remedy: "No action needed for the copy, which repairs itself. Find out what else the database lost.",
  },
  INVENTORY_STOPPING: {
    httpStatus: 503,
    retryable: true,
    message: "The hub is stopping and accepts no more changes.",
    hint: "No action needed: agents reconnect automatically.",
    meaning: "The hub is stopping and ends the agents' reports.",
  },
  INVENTORY_CLUSTER_GONE: {
    httpStatus: 404,
    message: "The cluster was removed from the hub.",
    hint: "Stop the agent, or add the cluster again and enroll the agent with a new token.",
    meaning: "An agent reported objects of a cluster that was removed from the hub.",
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
