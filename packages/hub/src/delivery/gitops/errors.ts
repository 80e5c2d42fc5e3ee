import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  GITOPS_REQUEST_INVALID: {
    httpStatus: 400,
    message: "The request isn't what this call takes: {problems}.",
    hint: "docs/argocd.md describes the settings, and the hub's OpenAPI document every call.",
    meaning: "A request isn't what the call takes. The message says why.",
  },
  GITOPS_CLUSTER_NOT_FOUND: {
    httpStatus: 404,
    message: "There is no such cluster.",
    hint: "`fairlead cluster list` lists them.",
  },
  GITOPS_SETTINGS_CONFLICT: {
    httpStatus: 409,
    retryable: true,
    message: "Others changed the settings of {cluster}'s applications meanwhile.",
    hint: "Try again.",
    meaning: "Others kept changing the settings of a cluster's applications: five attempts to set them failed.",
    remedy: "Try again.",
  },
  GITOPS_DELETIONS_NONE: {
    httpStatus: 409,
    message: "No deletions of {cluster}'s applications wait for a confirmation.",
    hint: "`fairlead gitops status {cluster}` shows how its exchange stands.",
    meaning: "No deletions of a cluster's applications wait for a confirmation.",
  },
  GITOPS_DELETIONS_CHANGED: {
    httpStatus: 409,
    message: "The list of {cluster}'s waiting deletions has changed since it was shown: now there are {count}.",
    hint: "Look at them, and confirm again: `fairlead gitops confirm {cluster}`.",
    meaning:
      "The list of waiting deletions has changed since it was shown to the person who confirms. Nothing was deleted.",
  },
  GITOPS_APPLICATION_NOT_FOUND: {
    httpStatus: 404,
    message: "{cluster} has no application {name} in this namespace of the hub.",
    hint: "`fairlead argo app list --cluster {cluster}` lists them.",
    meaning: "A cluster has no application of this name in this namespace of the hub.",
  },
  GITOPS_APPLICATION_CONFLICT: {
    httpStatus: 409,
    message: "Somebody else changed {name} meanwhile.",
    hint: "Read it again and decide anew.",
    meaning: "Somebody else changed an application meanwhile, or it isn't the version that the request is about.",
  },
  GITOPS_APPLICATION_ELSEWHERE: {
    httpStatus: 409,
    message: "This application isn't one of {cluster}.",
    hint: "By namespace, its namespace has the cluster's name; by destination, its spec.destination.name is the cluster.",
    meaning: "An application isn't one of the cluster in the path.",
  },
  GITOPS_APPLICATION_REFUSED: {
    httpStatus: 422,
    message: "{name} was refused ({reason}): {message}",
    hint: "docs/argocd-hub.md says how many objects the hub keeps, and how large they may be.",
    meaning:
      "The hub's store, or the API server of the hub's Argo CD, refused an application. The message says why: `invalid`, `too-large`, `quota`, or the API server's own words.",
  },
  GITOPS_CLUSTER_AUTONOMOUS: {
    httpStatus: 409,
    message: "{cluster} is autonomous: its applications are made, changed and removed in it.",
    hint: "Change them in the cluster, or `fairlead cluster set {cluster} --gitops-mode managed`.",
    meaning: "Applications of an autonomous cluster are made, changed and removed in it.",
  },
  GITOPS_OPERATION_RUNNING: {
    httpStatus: 409,
    retryable: true,
    message: "An operation on {name} is under way.",
    hint: "Wait for its end, or end it: `fairlead argo app terminate`.",
    meaning: "An operation on an application is under way.",
  },
  GITOPS_OPERATION_NONE: {
    httpStatus: 409,
    message: "No operation on {name} is running.",
    hint: "`fairlead argo app get` shows the last one.",
    meaning: "There is no running operation to end.",
  },
  GITOPS_HISTORY_NOT_FOUND: {
    httpStatus: 404,
    message: "{name} has no entry {id} in its history.",
    hint: "`fairlead argo app history` lists them.",
    meaning: "An application has no such entry in its history.",
  },
  GITOPS_ROLLBACK_AUTOMATED: {
    httpStatus: 409,
    message: "{name} syncs by itself, so a rollback would be undone.",
    hint: "Take `automated` out of its spec.syncPolicy first.",
    meaning: "The application syncs by itself, and would undo a rollback.",
  },
  GITOPS_OBJECTS_UNAVAILABLE: {
    httpStatus: 503,
    retryable: true,
    message: "Applications on the hub can't be read now: {reason}.",
    hint: "Try again. The hub's log says more.",
    meaning: "The hub's store, or the API server of the hub's Argo CD, can't be read now.",
  },
  GITOPS_MAPPING_NEEDS_ARGO: {
    httpStatus: 409,
    message: "The mapping by destination needs an Argo CD on the hub.",
    hint: "Tell the hub of its Argo CD (--argo-kubeconfig), or use the mapping by namespace.",
    meaning:
      "The mapping by destination was set on a hub without an Argo CD. In the hub's own store each application is in its cluster's namespace.",
  },
  GITOPS_ARGO_OBJECT_NOT_FOUND: {
    httpStatus: 404,
    message: "The hub has no {name} among its {kind}.",
    hint: "`fairlead argo object list {kind}` lists them.",
    meaning: "The hub has no project, repository or ConfigMap of this name.",
  },
  GITOPS_ARGO_ELSEWHERE: {
    httpStatus: 409,
    message: "This hub has an Argo CD of its own, and takes {kind} from there.",
    hint: "Use that Argo CD's API, command or UI, or kubectl in its cluster.",
    meaning: "Somebody asks for projects, repositories or keys at a hub that has an Argo CD of its own.",
  },
  GITOPS_ARGO_UNREADABLE: {
    message: "The cluster of the hub's Argo CD can't be reached by {path}: {reason}.",
    hint: "Check --argo-kubeconfig: a kubeconfig that the hub may read, or in-cluster where the hub runs in that cluster.",
    meaning: "The hub can't reach the cluster of its Argo CD with `--argo-kubeconfig`.",
  },
  GITOPS_CLUSTER_SECRET_TAKEN: {
    httpStatus: 409,
    message: "Argo CD on the hub doesn't get {cluster} from the hub: the Secret {secret} is somebody else's.",
    hint: "The Secret has the name that the hub's own would have, or names the cluster or its address. Remove it; then the hub makes its own.",
    meaning:
      "Somebody else's Secret in Argo CD on the hub has the name of the hub's own for the cluster, or names the cluster or its address. It stays as it is, and the hub makes none; in the log.",
    remedy: "Remove it; the hub then makes its own within seconds.",
  },
  GITOPS_CLUSTER_SECRETS_MANY: {
    message: "Argo CD's namespace on the hub has more than {max} Secrets of clusters.",
    hint: "Remove some. Until then the hub makes, changes and removes none of its own.",
    meaning: "There are more Secrets of clusters in Argo CD's namespace on the hub than the hub reads; in the log.",
  },
  /** Agents are told these; they try again later. */
  GITOPS_OFF: {
    httpStatus: 409,
    message: "The hub exchanges no Argo CD applications with {cluster}.",
    hint: "`fairlead cluster set {cluster} --gitops-mode managed` or `autonomous`, or take the role gitops from the agent.",
    meaning: "The hub and this cluster don't exchange applications.",
  },
  GITOPS_MODE_MISMATCH: {
    httpStatus: 409,
    message: "The agent was told the {what} {told}, and the hub declares {declared} for {cluster}.",
    hint: "Set the same on both sides, or leave it out at the agent: then the hub decides.",
    meaning: "The agent was told another mode or mapping than the hub declares.",
  },
  GITOPS_AGENT_OUTDATED: {
    httpStatus: 409,
    message: "The agent of {cluster} is too old for the mapping by {mapping}.",
    hint: "Upgrade the agent, or `fairlead cluster set {cluster} --gitops-mapping namespace`.",
    meaning:
      "The agent is too old for the mapping that the hub declares for its cluster. The copies in the cluster stay.",
  },
  GITOPS_CLUSTER_REPLACED: {
    httpStatus: 409,
    message: "Another cluster answers under the name {cluster}.",
    hint: "If the cluster was built anew, an admin confirms it: `fairlead cluster confirm {cluster}`.",
  },
  GITOPS_NOT_LEADER: {
    httpStatus: 409,
    message: "Another agent of {cluster} leads, at epoch {seen}; this one has {epoch}.",
    hint: "You need to do nothing: the agent that leads goes on.",
    meaning: "Another agent of the cluster leads.",
  },
  GITOPS_NOT_OWNER: {
    httpStatus: 503,
    retryable: true,
    message: "Another hub owns the exchange of {cluster}'s applications.",
    hint: "You need to do nothing: the agent calls again, and one of the hubs takes the call within seconds.",
    meaning: "Another hub owns the exchange of this cluster's applications.",
  },
  GITOPS_NAMESPACE_ARGO: {
    httpStatus: 409,
    message: "{cluster} has the name of the namespace of the hub's own Argo CD.",
    hint: "Give the cluster another name, or Argo CD on the hub another namespace (--argo-namespace).",
    meaning:
      "A cluster has the name of the namespace in which the hub's own Argo CD is, so the applications there would be the cluster's.",
  },
  GITOPS_NAME_RESERVED: {
    httpStatus: 409,
    message: "{cluster} can't be autonomous: to Argo CD, to Kubernetes or to the hub its name means something else.",
    hint: "Remove the cluster and add it under another name.",
    meaning:
      "A cluster with a name such as `in-cluster`, `default` or `kube-…` was to be autonomous. On the hub its projects would be for another cluster or namespace.",
  },
  GITOPS_SETTINGS_CHANGED: {
    httpStatus: 503,
    retryable: true,
    message: "The settings of {cluster}'s applications changed.",
    hint: "You need to do nothing: the agent begins anew with the new ones.",
    meaning: "The settings of a cluster's applications changed during a call.",
  },
} as const;

export const gitopsErrors: Errors<typeof table> = defineErrors(table);
