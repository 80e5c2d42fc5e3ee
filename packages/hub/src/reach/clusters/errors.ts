import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  CLUSTER_NAME_INVALID: {
    httpStatus: 422,
    message: "The cluster name is invalid.",
    hint: "Use a DNS label: lower-case letters, digits and '-', at most 63 characters, no '-' at either end.",
    meaning: "The cluster name isn't a DNS label.",
  },
  CLUSTER_NAME_RESERVED: {
    httpStatus: 422,
    message: "The cluster name {name} is reserved: {why}.",
    hint: "Choose another name.",
    meaning:
      "The name of a new cluster has another meaning at the hub: `in-cluster`, `argocd`, `default`, `fairlead`, `system`, `kube-…`, the namespace of the hub (`--hub-namespace`) or of its Argo CD (`--argo-namespace`), or the name of a robot.",
    remedy: "Choose another name. An existing cluster keeps such a name.",
  },
  CLUSTER_EXISTS: {
    httpStatus: 409,
    message: "A cluster named {name} already exists.",
    hint: "Choose another name, or create a new join token for the existing cluster with all the roles of its agent: `fairlead cluster token create {name} --role proxy --role observe --token-out FILE`.",
  },
  CLUSTER_NOT_FOUND: {
    httpStatus: 404,
    message: "The hub has no cluster with this name.",
    hint: "List the clusters: `fairlead cluster list`.",
  },
  CLUSTER_PROTECTED: {
    httpStatus: 409,
    message: "The cluster {name} is protected, so it can't be deleted or revoked.",
    hint: "Check the name, then remove the protection: `fairlead cluster set {name} --no-protected`.",
    meaning: "The cluster is protected, so it can't be deleted or revoked.",
  },
  CLUSTER_CHANGED: {
    httpStatus: 409,
    retryable: true,
    message: "Another request changed the labels of the cluster {name} at the same time.",
    hint: "Check the labels and retry: `fairlead cluster get {name}`.",
  },
  CLUSTER_LABELS_TOO_MANY: {
    httpStatus: 422,
    message: "The cluster {name} can have at most {max} labels.",
    hint: "Remove labels in the same step: `fairlead cluster set {name} --label old-`.",
  },
  CLUSTER_ALARM_NOT_FOUND: {
    httpStatus: 404,
    message: "The cluster has no such alarm, or the alarm is already marked as seen.",
    hint: "List the alarms: `fairlead cluster alarm list NAME`.",
  },
  CLUSTER_ALARM_AGAIN: {
    httpStatus: 409,
    message: "The alarm was raised again after you read it, so it stays.",
    hint: "Read it again: `fairlead cluster alarm list NAME`.",
    meaning: "An alarm can't be marked as seen, because it was raised again after it was read.",
  },
  CLUSTER_IDENTITY_MISMATCH: {
    httpStatus: 503,
    message:
      'A different cluster answers under the name "{name}": the UID of its kube-system is {found}, but the registered cluster\'s is {known}.',
    hint: "If the agent has the wrong kubeconfig, correct it. If the cluster was rebuilt, an admin of the hub accepts it: `fairlead cluster confirm {name}`.",
    meaning:
      "An agent reported a different UID of the namespace `kube-system` than the hub has for this name, so it runs in a different cluster. The hub uses it neither for kubectl nor for objects.",
  },
  CLUSTER_IDENTITY_UNPROVEN: {
    httpStatus: 503,
    message: "{detail}",
    hint: "{advice}",
    meaning:
      "An agent didn't report the UID of `kube-system`, which the hub has for this name. The hub doesn't use the agent.",
    remedy:
      "Allow the agent's account to get that namespace ([install.md](install.md#an-account-of-your-own)), or find out from the agent's log why the API server doesn't answer. Update an agent that is older than the hub.",
  },
  INVENTORY_REPLACEMENT_UNKNOWN: {
    httpStatus: 409,
    message: "No cluster whose kube-system has the UID {kubeSystemUid} is waiting for confirmation.",
    hint: "Find the cluster that is waiting, if any: `fairlead cluster get`.",
    meaning: "The cluster to confirm isn't waiting for confirmation.",
  },
  REQUEST_INVALID: {
    httpStatus: 400,
    message: "The request's body is invalid: {problems}.",
    hint: "See the operation in the hub's OpenAPI document.",
  },
} as const;

export const clustersErrors: Errors<typeof table> = defineErrors(table);

/** Between an agent and the one that the name means. To people whose requests would go there, and to the agent. */
export function clusterMismatch(options: {
  readonly name: string;
  readonly known: string;
  readonly found: string;
}): FairleadError {
  const { name, known, found } = options;
  return clustersErrors.CLUSTER_IDENTITY_MISMATCH({ name, found, known });
}

export function clusterUnproven({
  name,
  hasApiServer,
}: {
  readonly name: string;
  readonly hasApiServer: boolean;
}): FairleadError {
  return clustersErrors.CLUSTER_IDENTITY_UNPROVEN({
    detail: hasApiServer
      ? `The agent of "${name}" doesn't report its cluster: it isn't allowed to get the namespace kube-system, whose UID identifies the cluster.`
      : `The agent of "${name}" doesn't report its cluster: its API server hasn't responded yet.`,
    advice: hasApiServer
      ? "Allow the agent's account to `get` the namespace `kube-system`: the chart fairlead-agent does, and docs/install.md has the Role for other accounts. Update an agent that is older than the hub."
      : "Find out from the agent's log why it can't reach the API server.",
    retryable: !hasApiServer,
  });
}
