import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  SHARED_BACKEND_CLOSED: {
    httpStatus: 403,
    message: "The hub shares no {backend} with {cluster}.",
    hint: "The hub's administrator names targets and clusters: --argo-shared-redis, --argo-shared-repo-server, --argo-share-with.",
    meaning: "A cluster's agent asks for a Redis or repo-server that the hub doesn't share with it.",
  },
  SHARED_BACKEND_BUSY: {
    httpStatus: 429,
    retryable: true,
    message: "{cluster} has {most} connections to what the hub shares.",
    hint: "Have the cluster's Argo CD use fewer connections.",
    meaning: "A cluster has 64 connections to what the hub shares.",
  },
  SHARED_BACKEND_UNREACHABLE: {
    httpStatus: 503,
    retryable: true,
    message: "The {backend} that the hub shares can't be reached: {reason}.",
    hint: "Check --argo-shared-redis or --argo-shared-repo-server, and that the network lets the hub there.",
    meaning: "The hub can't reach the Redis or repo-server that it shares; the message says why.",
  },
} as const;

export const sharedBackendErrors: Errors<typeof table> = defineErrors(table);
