import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  RESOURCE_TREE_REQUEST_INVALID: {
    message: "The hub asks for what isn't an application's cached state: {what}.",
    hint: "The hub and the agent may be of versions too far apart; docs/install.md says which go together.",
    meaning:
      "The hub asks for something other than the cached state of an application or the cluster. Nothing is read.",
    remedy: "See that hub and agent are at most two minor versions apart.",
  },
  RESOURCE_TREE_NAMESPACE_REFUSED: {
    message: "Applications aren't in the namespace {namespace} here.",
    hint: "--argo-namespace and --argo-application-namespaces (Helm: gitops.argoNamespace, gitops.applicationNamespaces) say where they may be.",
    meaning: "The hub asks for an application in a namespace that has no applications of Argo CD here.",
  },
  RESOURCE_TREE_TOO_LARGE: {
    message: "Argo CD's cached state of {name} has more than {mostMib} MiB.",
    hint: "Set ARGOCD_APPLICATION_TREE_SHARD_SIZE at the cluster's Argo CD, or make several applications of this one.",
    meaning: "Argo CD keeps more than 16 MiB of one application, packed as it is.",
  },
  RESOURCE_TREE_BUSY: {
    retryable: true,
    message: "Too much is asked of this cluster's Argo CD at once.",
    hint: "You need to do nothing: Argo CD asks again.",
    meaning: "There are too many requests for this cluster's resource trees at once.",
  },
  RESOURCE_TREE_REDIS_FAILED: {
    retryable: true,
    message: "The cluster's Redis can't be read: {reason}.",
    hint: "Check --argo-redis-address, its password and its certificate (Helm: gitops.redis), and that its network policy lets the agent in.",
    meaning: "The agent can't read the Redis of its cluster's Argo CD; the message says why.",
  },
  RESOURCE_TREE_FILE_UNREADABLE: {
    message: "{file}, of the settings for Argo CD's Redis, can't be read: {reason}.",
    hint: "Mount the Secret that holds it, readable for the agent.",
  },
} as const;

export const resourceTreeErrors: Errors<typeof table> = defineErrors(table);
