import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  GITOPS_REQUEST_INVALID: {
    httpStatus: 400,
    message: "The request is invalid: {problems}.",
    hint: "See docs/argocd.md for the settings, and the hub's OpenAPI document for every operation.",
    meaning: "The request is invalid; the message says why.",
  },
  GITOPS_CLUSTER_NOT_FOUND: {
    httpStatus: 404,
    message: "The cluster doesn't exist.",
    hint: "List the clusters: `fairlead cluster list`.",
  },
  GITOPS_SETTINGS_CONFLICT: {
    httpStatus: 409,
    retryable: true,
    message: "Other requests changed the settings of {cluster}'s applications at the same time.",
    hint: "Retry.",
    meaning: "Other requests kept changing the settings of a cluster's applications, so five attempts failed.",
    remedy: "Retry.",
  },
  GITOPS_DELETIONS_NONE: {
    httpStatus: 409,
    message: "No deletions of {cluster}'s applications are waiting for confirmation.",
    hint: "See the state of the exchange: `fairlead gitops status {cluster}`.",
    meaning: "No deletions of the cluster's applications are waiting for confirmation.",
  },
  GITOPS_DELETIONS_CHANGED: {
    httpStatus: 409,
    message: "The list of {cluster}'s pending deletions changed after you read it: it now has {count}.",
    hint: "Read the list and confirm again: `fairlead gitops confirm {cluster}`.",
    meaning: "The list of pending deletions changed after it was shown. Nothing was deleted.",
  },
  GITOPS_APPLICATION_NOT_FOUND: {
    httpStatus: 404,
    message: "{cluster} has no application {name} in this namespace of the hub.",
    hint: "List the applications: `fairlead argo app list --cluster {cluster}`.",
    meaning: "The cluster has no application of this name in this namespace of the hub.",
  },
  GITOPS_APPLICATION_CONFLICT: {
    httpStatus: 409,
    message: "Another request changed {name} at the same time.",
    hint: "Read it again before you retry.",
    meaning: "Another request changed the application, or it isn't at the version that the request names.",
  },
  GITOPS_APPLICATION_ELSEWHERE: {
    httpStatus: 409,
    message: "The application doesn't belong to {cluster}.",
    hint: "In the mapping by namespace, its namespace must have the cluster's name. In the mapping by destination, its spec.destination.name must be the cluster.",
    meaning: "The application doesn't belong to the cluster in the path.",
  },
  GITOPS_APPLICATION_REFUSED: {
    httpStatus: 422,
    message: "{name} was rejected ({reason}): {message}",
    hint: "See docs/argocd-hub.md for the number and size of objects that the hub stores.",
    meaning:
      "The hub's store, or the API server of the hub's Argo CD, rejected an application. The message says why: `invalid`, `too-large`, `quota`, or the API server's own words.",
  },
  GITOPS_CLUSTER_AUTONOMOUS: {
    httpStatus: 409,
    message: "{cluster} is autonomous, so its applications can only be changed in the cluster.",
    hint: "Change them in the cluster, or run `fairlead cluster set {cluster} --gitops-mode managed`.",
    meaning: "The applications of an autonomous cluster can only be changed in the cluster.",
  },
  GITOPS_OPERATION_RUNNING: {
    httpStatus: 409,
    retryable: true,
    message: "An operation on {name} is in progress.",
    hint: "Wait until it ends, or stop it: `fairlead argo app terminate`.",
    meaning: "An operation on the application is in progress.",
  },
  GITOPS_OPERATION_NONE: {
    httpStatus: 409,
    message: "No operation on {name} is in progress.",
    hint: "See the last one: `fairlead argo app get`.",
    meaning: "The application has no operation in progress to stop.",
  },
  GITOPS_HISTORY_NOT_FOUND: {
    httpStatus: 404,
    message: "The history of {name} has no entry {id}.",
    hint: "List the entries: `fairlead argo app history`.",
    meaning: "The application's history has no such entry.",
  },
  GITOPS_ROLLBACK_AUTOMATED: {
    httpStatus: 409,
    message: "{name} syncs automatically, which would undo a rollback.",
    hint: "First remove `automated` from its spec.syncPolicy.",
    meaning: "The application syncs automatically, which would undo a rollback.",
  },
  GITOPS_OBJECTS_UNAVAILABLE: {
    httpStatus: 503,
    retryable: true,
    message: "The hub can't read its applications: {reason}.",
    hint: "Retry. See the hub's log for details.",
    meaning: "The hub can't read its store, or the API server of its Argo CD.",
  },
  GITOPS_MAPPING_NEEDS_ARGO: {
    httpStatus: 409,
    message: "The mapping by destination requires an Argo CD on the hub.",
    hint: "Configure the hub's Argo CD (--argo-kubeconfig), or use the mapping by namespace.",
    meaning:
      "The mapping by destination was set on a hub without an Argo CD. The hub's own store keeps each application in its cluster's namespace.",
  },
  GITOPS_ARGO_OBJECT_NOT_FOUND: {
    httpStatus: 404,
    message: "The hub has no {name} among its {kind}.",
    hint: "List them: `fairlead argo object list {kind}`.",
    meaning: "The hub has no project, repository or ConfigMap of this name.",
  },
  GITOPS_ARGO_ELSEWHERE: {
    httpStatus: 409,
    message: "This hub reads {kind} from its own Argo CD, so they can't be changed here.",
    hint: "Use that Argo CD's API, CLI or UI, or kubectl in its cluster.",
    meaning: "A request is for projects, repositories or keys at a hub that has its own Argo CD.",
  },
  GITOPS_ARGO_UNREADABLE: {
    message: "The hub can't reach the cluster of its Argo CD through {path}: {reason}.",
    hint: "Set --argo-kubeconfig to a kubeconfig that the hub can read, or to in-cluster if the hub runs in that cluster.",
    meaning: "The hub can't reach the cluster of its Argo CD through `--argo-kubeconfig`.",
  },
  GITOPS_CLUSTER_SECRET_TAKEN: {
    httpStatus: 409,
    message: "The hub can't add {cluster} to its Argo CD: the Secret {secret}, which the hub didn't create, conflicts.",
    hint: "The Secret has the name of the hub's own, or names the cluster or its address. Remove it; the hub then creates its own.",
    meaning:
      "In the log: a Secret in the hub's Argo CD that the hub didn't create has the name of the hub's own for the cluster, or names the cluster or its address. The hub leaves it and creates none.",
    remedy: "Remove the Secret; the hub then creates its own within seconds.",
  },
  GITOPS_CLUSTER_SECRETS_MANY: {
    message: "The namespace of the hub's Argo CD has more than {max} cluster Secrets.",
    hint: "Remove some. Until then, the hub doesn't create, change or remove its own.",
    meaning: "In the log: the namespace of the hub's Argo CD has more cluster Secrets than the hub reads.",
  },
  /** Agents are told these; they try again later. */
  GITOPS_OFF: {
    httpStatus: 409,
    message: "The hub doesn't exchange Argo CD applications with {cluster}.",
    hint: "Run `fairlead cluster set {cluster} --gitops-mode managed` (or `autonomous`), or remove the role gitops from the agent.",
    meaning: "The hub and this cluster don't exchange applications.",
  },
  GITOPS_MODE_MISMATCH: {
    httpStatus: 409,
    message: "The agent is configured with the {what} {told}, but the hub declares {declared} for {cluster}.",
    hint: "Set the same value on both sides, or leave it out at the agent: the hub then decides.",
    meaning: "The agent is configured with another mode or mapping than the hub declares.",
  },
  GITOPS_AGENT_OUTDATED: {
    httpStatus: 409,
    message: "The agent of {cluster} is too old for the mapping by {mapping}.",
    hint: "Upgrade the agent, or run `fairlead cluster set {cluster} --gitops-mapping namespace`.",
    meaning: "The agent is too old for the mapping that the hub declares. The copies in the cluster stay.",
  },
  GITOPS_CLUSTER_REPLACED: {
    httpStatus: 409,
    message: "A different cluster answers under the name {cluster}.",
    hint: "If the cluster was rebuilt, an admin accepts it: `fairlead cluster confirm {cluster}`.",
  },
  GITOPS_NOT_LEADER: {
    httpStatus: 409,
    message: "Another agent of {cluster} is the leader at epoch {seen}; this agent has {epoch}.",
    hint: "No action needed: the leader continues.",
    meaning: "Another agent of the cluster is the leader.",
  },
  GITOPS_NOT_OWNER: {
    httpStatus: 503,
    retryable: true,
    message: "Another hub owns the exchange of {cluster}'s applications.",
    hint: "No action needed: the agent retries, and one of the hubs accepts the call within seconds.",
    meaning: "Another hub owns the exchange of this cluster's applications.",
  },
  GITOPS_NAMESPACE_ARGO: {
    httpStatus: 409,
    message: "{cluster} has the same name as the namespace of the hub's own Argo CD.",
    hint: "Rename the cluster, or move the hub's Argo CD to another namespace (--argo-namespace).",
    meaning:
      "A cluster has the same name as the namespace of the hub's own Argo CD, so the applications there would be the cluster's.",
  },
  GITOPS_NAME_RESERVED: {
    httpStatus: 409,
    message: "{cluster} can't be autonomous: its name has another meaning for Argo CD, Kubernetes or the hub.",
    hint: "Delete the cluster and register it under another name.",
    meaning:
      "A cluster with a name such as `in-cluster`, `default` or `kube-…` can't be autonomous. On the hub, its projects would be for another cluster or namespace.",
  },
  GITOPS_SETTINGS_CHANGED: {
    httpStatus: 503,
    retryable: true,
    message: "The settings of {cluster}'s applications changed during the call.",
    hint: "No action needed: the agent restarts with the new settings.",
    meaning: "The settings of the cluster's applications changed during the call.",
  },
} as const;

export const gitopsErrors: Errors<typeof table> = defineErrors(table);
