import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  RESOURCE_TREE_PROTOCOL: {
    httpStatus: 400,
    message: "It isn't what Redis speaks: {reason}.",
    hint: "The address of --argo-redis-listen is for Argo CD's argocd-server alone.",
    meaning:
      "A client, or the Redis behind the hub, doesn't speak the protocol of Redis, or sent more than the hub takes.",
    remedy: "Let only argocd-server connect to that address.",
  },
  RESOURCE_TREE_SETTING_INVALID: {
    message: "--{name}, of the settings for resource trees, can't be used: {reason}.",
    hint: "docs/argocd-hub.md says which settings go together.",
    meaning:
      "Settings of the endpoint don't go together. For example, without a password it may listen on loopback only.",
  },
  RESOURCE_TREE_LISTEN_REFUSED: {
    message: "The hub can't listen for Argo CD on {listen}: {reason}.",
    hint: "Choose another address with --argo-redis-listen.",
    meaning: "The hub can't listen on the address of `--argo-redis-listen`.",
  },
  RESOURCE_TREE_UPSTREAM_FAILED: {
    httpStatus: 502,
    retryable: true,
    message: "The Redis of the hub's Argo CD can't be reached: {reason}.",
    hint: "Check --argo-redis-upstream, its password and its certificate.",
    meaning: "The hub can't reach the Redis of its own Argo CD. Clusters' trees are answered all the same.",
  },
  RESOURCE_TREE_UNSUPPORTED: {
    httpStatus: 501,
    message: "No agent of {cluster} reads its Argo CD's Redis.",
    hint: "Set --argo-redis-address at the agent (Helm: gitops.redis.address), which needs the role gitops and this version or a newer one.",
    meaning:
      "No agent of a cluster reads its Argo CD's Redis: it isn't set, or the agent, or a hub on the way, is older.",
  },
  RESOURCE_TREE_CLUSTER_BUSY: {
    httpStatus: 503,
    retryable: true,
    message: "Too much is asked of the resource trees of {cluster} at once.",
    hint: "Argo CD asks again. Fewer open pages of its UI ask less.",
    meaning: "There are too many requests for a cluster's resource trees at once.",
    remedy: "Argo CD asks again. Fewer open pages make fewer requests.",
  },
  RESOURCE_TREE_CHANNELS_MIXED: {
    httpStatus: 400,
    message: "Channels of clusters and others need connections of their own.",
    hint: "Subscribe to them by two connections.",
    meaning: "A client subscribes to channels of clusters and to other channels on the same connection.",
    remedy: "Use two connections, as argocd-server does.",
  },
  RESOURCE_TREE_TOO_MANY_CHANNELS: {
    httpStatus: 429,
    message: "A connection listens to at most {most} channels of clusters.",
    hint: "Open another connection.",
    meaning: "A connection subscribes to more than 64 channels of clusters.",
  },
  RESOURCE_TREE_DESTINATION_OTHER: {
    httpStatus: 409,
    message:
      "{application} runs in {cluster}, and its destination on the hub is another cluster, which Argo CD would ask for its objects.",
    hint: "Set spec.destination.name of the application on the hub to the cluster's name.",
    meaning:
      "The destination of an application on the hub isn't the cluster that it runs in. Argo CD on the hub would show, change and delete objects of that destination instead, such as the hub's own cluster.",
  },
  RESOURCE_TREE_CLUSTER_FAILED: {
    httpStatus: 502,
    retryable: true,
    message: "{cluster} didn't give the resource tree: {reason}.",
    hint: "The agent's log says more.",
    meaning: "A connected cluster didn't answer in time, or its agent can't read its Redis. The message says why.",
  },
} as const;

export const resourceTreeErrors: Errors<typeof table> = defineErrors(table);
