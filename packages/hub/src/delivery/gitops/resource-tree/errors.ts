import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  RESOURCE_TREE_PROTOCOL: {
    httpStatus: 400,
    message: "It isn't what Redis speaks: {reason}.",
    hint: "The address of --argo-redis-listen is for Argo CD's argocd-server alone.",
  },
  RESOURCE_TREE_SETTING_INVALID: {
    message: "--{name}, of the settings for resource trees, can't be used: {reason}.",
    hint: "docs/argocd-hub.md says which settings go together.",
  },
  RESOURCE_TREE_LISTEN_REFUSED: {
    message: "The hub can't listen for Argo CD on {listen}: {reason}.",
    hint: "Choose another address with --argo-redis-listen.",
  },
  RESOURCE_TREE_UPSTREAM_FAILED: {
    httpStatus: 502,
    retryable: true,
    message: "The Redis of the hub's Argo CD can't be reached: {reason}.",
    hint: "Check --argo-redis-upstream, its password and its certificate.",
  },
  RESOURCE_TREE_UNSUPPORTED: {
    httpStatus: 501,
    message: "No agent of {cluster} reads its Argo CD's Redis.",
    hint: "Set --argo-redis-address at the agent (Helm: gitops.redis.address), which needs the role gitops and this version or a newer one.",
  },
  RESOURCE_TREE_CLUSTER_BUSY: {
    httpStatus: 503,
    retryable: true,
    message: "Too much is asked of the resource trees of {cluster} at once.",
    hint: "Argo CD asks again. Fewer open pages of its UI ask less.",
  },
  RESOURCE_TREE_CHANNELS_MIXED: {
    httpStatus: 400,
    message: "Channels of clusters and others need connections of their own.",
    hint: "Subscribe to them by two connections.",
  },
  RESOURCE_TREE_TOO_MANY_CHANNELS: {
    httpStatus: 429,
    message: "A connection listens to at most {most} channels of clusters.",
    hint: "Open another connection.",
  },
  RESOURCE_TREE_CLUSTER_FAILED: {
    httpStatus: 502,
    retryable: true,
    message: "{cluster} didn't give the resource tree: {reason}.",
    hint: "The agent's log says more.",
  },
} as const;

export const resourceTreeErrors: Errors<typeof table> = defineErrors(table);
