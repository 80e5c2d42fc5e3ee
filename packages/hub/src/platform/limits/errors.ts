import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  LIMIT_USER_REQUESTS: {
    httpStatus: 429,
    retryable: true,
    message: "{name} has {limit} requests in flight, the maximum for one user",
    hint: "Ask with fewer at once; the hub's `--limit-user-requests` sets the limit.",
  },
  LIMIT_USER_STREAMS: {
    httpStatus: 429,
    retryable: true,
    message: "{name} has {limit} long streams open, the maximum for one user",
    hint: "Close watches, logs or port-forwards that nobody needs; the hub's `--limit-user-streams` sets the limit.",
    meaning: "The user has the maximum number of watches, followed logs and upgrades open.",
  },
  LIMIT_CLUSTER_REQUESTS: {
    httpStatus: 429,
    retryable: true,
    message: 'cluster "{cluster}" has {limit} requests in flight through the hub, the maximum for one cluster',
    hint: "Try again in a moment; the hub's `--limit-cluster-requests` sets the limit.",
  },
  LIMIT_CLUSTER_STREAMS: {
    httpStatus: 429,
    retryable: true,
    message: 'cluster "{cluster}" has {limit} long streams open through the hub, the maximum for one cluster',
    hint: "Close watches, logs or port-forwards that nobody needs; the hub's `--limit-cluster-streams` sets the limit.",
    meaning: "The cluster has the maximum number of watches, followed logs and upgrades open.",
  },
  LIMIT_USER_HEADERS: {
    httpStatus: 429,
    retryable: true,
    message: "{name} has requests with large headers in flight that take 16 MiB, the maximum for one user",
    hint: "Ask with fewer at once, or send shorter headers.",
  },
  LIMIT_CLUSTER_HEADERS: {
    httpStatus: 429,
    retryable: true,
    message: 'requests to cluster "{cluster}" with large headers take 32 MiB, the maximum for one cluster',
    hint: "Try again in a moment.",
  },
  LIMIT_HUB_BUSY: {
    httpStatus: 429,
    retryable: true,
    message: 'the hub is busy, and cluster "{cluster}" has its share of it',
    hint: "Try again in a moment; the hub's `--limit-hub-requests` sets how much it does at once.",
    meaning: "The hub does more than half of what it takes at once, and this cluster has its share of the rest.",
  },
  LIMIT_USER_API_REQUESTS: {
    httpStatus: 429,
    retryable: true,
    message: "{name} has {limit} requests to the hub's own API in flight, the maximum for one user",
    hint: "Ask with fewer at once; the hub's `--limit-user-api-requests` sets the limit.",
  },
  LIMIT_ADDRESS_REQUESTS: {
    httpStatus: 429,
    retryable: true,
    message: "{limit} requests without a sign-in are in flight from this address, the maximum for one address",
    hint: "Try again in a moment; the hub's `--limit-address-api-requests` sets the limit.",
  },
} as const;

export const limitsErrors: Errors<typeof table> = defineErrors(table);
