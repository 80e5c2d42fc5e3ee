import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  CLUSTER_NAME_INVALID: {
    httpStatus: 422,
    message: "This isn't a cluster name.",
    hint: "Use a DNS label: lower-case letters, digits and '-', at most 63 characters, no '-' at either end.",
    meaning: "A cluster's name isn't a DNS label.",
  },
  CLUSTER_NAME_RESERVED: {
    httpStatus: 422,
    message: "A cluster can't have the name {name}: {why}.",
    hint: "Choose another name.",
    meaning:
      "A new cluster has a name that means something else on the hub: `in-cluster`, `argocd`, `default`, `fairlead`, `system`, `kube-…`, the namespace of the hub (`--hub-namespace`) or of its Argo CD (`--argo-namespace`), or the name of a robot.",
    remedy: "Choose another name. A cluster that has such a name already keeps it.",
  },
  CLUSTER_EXISTS: {
    httpStatus: 409,
    message: "There is a cluster named {name} already.",
    hint: "Choose another name, or make a new join token for the one that is there, with all roles that its agent is to have: `fairlead cluster token create {name} --role proxy --role observe --token-out FILE`.",
  },
  CLUSTER_NOT_FOUND: {
    httpStatus: 404,
    message: "The hub knows no cluster of this name.",
    hint: "`fairlead cluster list` shows the ones there are.",
  },
  CLUSTER_PROTECTED: {
    httpStatus: 409,
    message: "The cluster {name} is protected: the hub neither deletes nor revokes it.",
    hint: "If it is the right one, take the protection away first: `fairlead cluster set {name} --no-protected`.",
    meaning: "A cluster was to be deleted or revoked that somebody has protected.",
  },
  CLUSTER_CHANGED: {
    httpStatus: 409,
    retryable: true,
    message: "The labels of the cluster {name} were changed at the same time.",
    hint: "Look at them and try again: `fairlead cluster get {name}`.",
  },
  CLUSTER_LABELS_TOO_MANY: {
    httpStatus: 422,
    message: "The cluster {name} would have more than {max} labels.",
    hint: "Remove labels in the same step: `fairlead cluster set {name} --label old-`.",
  },
  CLUSTER_ALARM_NOT_FOUND: {
    httpStatus: 404,
    message: "The cluster has no such alarm, or somebody has seen it already.",
    hint: "`fairlead cluster alarm list NAME` shows the ones there are.",
    meaning: "An alarm was marked as seen that the cluster hasn't, or that someone has seen already.",
  },
  CLUSTER_ALARM_AGAIN: {
    httpStatus: 409,
    message: "The alarm was raised again since it was looked at, so it stays.",
    hint: "Look at it once more: `fairlead cluster alarm list NAME`.",
    meaning: "An alarm was marked as seen that was raised again since it was looked at. It stays.",
  },
  CLUSTER_IDENTITY_MISMATCH: {
    httpStatus: 503,
    message:
      'Another cluster answers under the name "{name}": its kube-system is {found}, and the one that the name means has {known}.',
    hint: "If the agent has the wrong kubeconfig, give it the right one. If the cluster was built anew, an admin of the hub confirms it: `fairlead cluster confirm {name}`.",
    meaning:
      "An agent says another UID of the namespace `kube-system` than the hub knows under this name: it is in another cluster. The hub doesn't use it, for kubectl nor for objects.",
  },
  CLUSTER_IDENTITY_UNPROVEN: {
    httpStatus: 503,
    message: "{detail}",
    hint: "{advice}",
    meaning:
      "An agent doesn't say the UID of `kube-system`, and the hub knows the one of this name. The hub doesn't use it.",
    remedy:
      "Let the agent's account get that namespace ([install.md](install.md#an-account-of-your-own)), or see in its log why the API server doesn't answer; update an agent that is older than the hub.",
  },
  INVENTORY_REPLACEMENT_UNKNOWN: {
    httpStatus: 409,
    message: "No cluster whose kube-system is {kubeSystemUid} waits to be confirmed.",
    hint: "`fairlead cluster get` names the one that waits, if there is one.",
    meaning: "A cluster was to be confirmed that doesn't wait for it.",
  },
  REQUEST_INVALID: {
    httpStatus: 400,
    message: "The request's body isn't what this call takes: {problems}.",
    hint: "The hub's OpenAPI document describes the body of every call.",
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
      ? `The agent of "${name}" doesn't say which cluster it is in: it may not get the namespace kube-system, whose UID tells clusters apart.`
      : `The agent of "${name}" doesn't say which cluster it is in: its API server hasn't answered it yet.`,
    advice: hasApiServer
      ? "Let the agent's account `get` the namespace `kube-system`: the chart fairlead-agent does, and docs/install.md has the Role for other accounts. Update an agent that is older than the hub."
      : "Look at the agent's log: it says why it doesn't reach the API server.",
    retryable: !hasApiServer,
  });
}
