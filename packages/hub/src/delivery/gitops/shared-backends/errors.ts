import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  SHARED_BACKEND_CLOSED: {
    httpStatus: 403,
    message: "The hub doesn't share a {backend} with {cluster}.",
    hint: "An admin of the hub can share it: --argo-shared-redis, --argo-shared-repo-server, --argo-share-with.",
    meaning: "A cluster's agent requested a Redis or repo-server that the hub doesn't share with it.",
  },
  SHARED_BACKEND_BUSY: {
    httpStatus: 429,
    retryable: true,
    message: "{cluster} has {most} connections to the hub's shared backends, which is the maximum.",
    hint: "Reduce the connections of the cluster's Argo CD.",
    meaning: "A cluster has 64 connections to the hub's shared backends, which is the maximum.",
  },
  SHARED_BACKEND_UNREACHABLE: {
    httpStatus: 503,
    retryable: true,
    message: "The hub can't reach the shared {backend}: {reason}.",
    hint: "Check --argo-shared-redis or --argo-shared-repo-server, and the network from the hub to it.",
    meaning: "The hub can't reach the Redis or repo-server that it shares; the message says why.",
  },
} as const;

export const sharedBackendErrors: Errors<typeof table> = defineErrors(table);
