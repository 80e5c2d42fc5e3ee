import { defineErrors, type Errors } from "@fairlead/kernel";

const table = {
  LIMIT_USER_REQUESTS: {
    httpStatus: 429,
    retryable: true,
    message: "{name} has {limit} requests in flight, which is as many as one user may have",
    hint: "Ask with fewer at once; the hub's `--limit-user-requests` sets the limit.",
  },
  LIMIT_USER_STREAMS: {
    httpStatus: 429,
    retryable: true,
    message: "{name} has {limit} long streams open, which is as many as one user may have",
    hint: "Close watches, logs or port-forwards that nobody needs; the hub's `--limit-user-streams` sets the limit.",
    meaning: "One user has as many watches, followed logs and upgrades open as one may have.",
  },
  LIMIT_CLUSTER_REQUESTS: {
    httpStatus: 429,
    retryable: true,
    message: 'cluster "{cluster}" has {limit} requests in flight through the hub, which is as many as one may have',
    hint: "Try again in a moment; the hub's `--limit-cluster-requests` sets the limit.",
  },
  LIMIT_CLUSTER_STREAMS: {
    httpStatus: 429,
    retryable: true,
    message: 'cluster "{cluster}" has {limit} long streams open through the hub, which is as many as one may have',
    hint: "Close watches, logs or port-forwards that nobody needs; the hub's `--limit-cluster-streams` sets the limit.",
    meaning: "One cluster has as many watches, followed logs and upgrades open as one may have.",
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
    message: "{name} has {limit} requests to the hub's own API in flight, which is as many as one user may have",
    hint: "Ask with fewer at once; the hub's `--limit-user-api-requests` sets the limit.",
  },
  LIMIT_ADDRESS_REQUESTS: {
    httpStatus: 429,
    retryable: true,
    message: "{limit} requests without a sign-in are in flight from this address, which is as many as one may have",
    hint: "Try again in a moment; the hub's `--limit-address-api-requests` sets the limit.",
  },
} as const;

export const limitsErrors: Errors<typeof table> = defineErrors(table);
