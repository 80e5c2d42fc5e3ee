import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  RESOURCE_TREE_REQUEST_INVALID: {
    message: "The hub requested data that isn't an application's cached state: {what}.",
    hint: "Check that hub and agent are at most two minor versions apart: see docs/install.md.",
    meaning: "The hub requested data other than the cached state of an application or the cluster. Nothing is read.",
  },
  RESOURCE_TREE_NAMESPACE_REFUSED: {
    message: "The agent's settings name no Argo CD applications in the namespace {namespace}.",
    hint: "Set --argo-namespace or --argo-application-namespaces (Helm: gitops.argoNamespace, gitops.applicationNamespaces) to include it.",
    meaning: "The hub requested an application in a namespace where the agent's settings name no Argo CD applications.",
  },
  RESOURCE_TREE_TOO_LARGE: {
    message: "Argo CD's cached state of {name} is larger than {mostMib} MiB.",
    hint: "Set ARGOCD_APPLICATION_TREE_SHARD_SIZE in the cluster's Argo CD, or split the application.",
    meaning: "Argo CD's cached state of one application is larger than 16 MiB as it is stored (compressed).",
  },
  RESOURCE_TREE_BUSY: {
    retryable: true,
    message: "Too many requests to this cluster's Argo CD are in progress.",
    hint: "Nothing to do: Argo CD retries.",
    meaning: "Too many requests for this cluster's resource trees are in progress.",
  },
  RESOURCE_TREE_REDIS_FAILED: {
    retryable: true,
    message: "The cluster's Redis can't be read: {reason}.",
    hint: "Check --argo-redis-address, its password and its certificate (Helm: gitops.redis), and that its network policy admits the agent.",
    meaning: "The agent can't read the Redis of its cluster's Argo CD; the message gives the reason.",
  },
  RESOURCE_TREE_FILE_UNREADABLE: {
    message: "The file {file} for Argo CD's Redis can't be read: {reason}.",
    hint: "Mount the Secret that contains it, readable by the agent.",
  },
} as const;

export const resourceTreeErrors: Errors<typeof table> = defineErrors(table);
