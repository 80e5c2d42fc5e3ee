import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  RESOURCE_TREE_PROTOCOL: {
    httpStatus: 400,
    message: "The client or server doesn't speak the Redis protocol: {reason}.",
    hint: "Use the address of --argo-redis-listen only for Argo CD's argocd-server.",
    meaning:
      "A client, or the Redis behind the hub, doesn't speak the Redis protocol, or sent more than the hub accepts.",
    remedy: "Allow only argocd-server to connect to that address.",
  },
  RESOURCE_TREE_SETTING_INVALID: {
    message: "--{name}, a setting for resource trees, is invalid: {reason}.",
    hint: "See docs/argocd-hub.md for the settings that go together.",
    meaning: "The settings of the endpoint conflict. For example, without a password it can listen on loopback only.",
  },
  RESOURCE_TREE_LISTEN_REFUSED: {
    message: "The hub can't listen for Argo CD on {listen}: {reason}.",
    hint: "Choose another address with --argo-redis-listen.",
    meaning: "The hub can't listen on the address of `--argo-redis-listen`.",
  },
  RESOURCE_TREE_UPSTREAM_FAILED: {
    httpStatus: 502,
    retryable: true,
    message: "The hub can't reach its Argo CD's Redis: {reason}.",
    hint: "Check --argo-redis-upstream, its password and its certificate.",
    meaning: "The hub can't reach the Redis of its own Argo CD. Resource trees of clusters still work.",
  },
  RESOURCE_TREE_UNSUPPORTED: {
    httpStatus: 501,
    message: "No agent of {cluster} reads the Redis of the cluster's Argo CD.",
    hint: "Set --argo-redis-address at an agent with the role gitops and this version or a newer one (Helm: gitops.redis.address).",
    meaning:
      "No agent of the cluster reads the Redis of the cluster's Argo CD: the address isn't set, or the agent, or a hub on the way, is older.",
  },
  RESOURCE_TREE_CLUSTER_BUSY: {
    httpStatus: 503,
    retryable: true,
    message: "Too many requests for the resource trees of {cluster} are in progress.",
    hint: "No action needed: Argo CD retries. Close pages of its UI to reduce the load.",
    meaning: "Too many requests for a cluster's resource trees are in progress.",
    remedy: "No action needed: Argo CD retries. Close pages of its UI to reduce the load.",
  },
  RESOURCE_TREE_CHANNELS_MIXED: {
    httpStatus: 400,
    message: "One connection can't subscribe both to channels of clusters and to other channels.",
    hint: "Use two connections.",
    meaning: "A client subscribed to channels of clusters and to other channels on the same connection.",
    remedy: "Use two connections, as argocd-server does.",
  },
  RESOURCE_TREE_TOO_MANY_CHANNELS: {
    httpStatus: 429,
    message: "A connection can subscribe to at most {most} channels of clusters.",
    hint: "Open another connection.",
    meaning: "A connection subscribed to more than 64 channels of clusters.",
  },
  RESOURCE_TREE_DESTINATION_OTHER: {
    httpStatus: 409,
    message:
      "{application} runs in {cluster}, but its destination on the hub is another cluster, from which Argo CD would read its objects.",
    hint: "Set spec.destination.name of the application on the hub to the cluster's name.",
    meaning:
      "The destination of an application on the hub isn't the cluster where it runs. Argo CD on the hub would show, change and delete objects of that destination instead, for example of the hub's own cluster.",
  },
  RESOURCE_TREE_CLUSTER_FAILED: {
    httpStatus: 502,
    retryable: true,
    message: "The hub couldn't get the resource tree from {cluster}: {reason}.",
    hint: "See the agent's log for details.",
    meaning: "A connected cluster didn't respond in time, or its agent can't read its Redis; the message says why.",
  },
} as const;

export const resourceTreeErrors: Errors<typeof table> = defineErrors(table);
