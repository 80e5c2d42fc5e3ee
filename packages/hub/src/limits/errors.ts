import { FairleadError } from "@fairlead/kernel";

export function userRequests(name: string, limit: number): FairleadError {
  return new FairleadError({
    ...common,
    code: "LIMIT_USER_REQUESTS",
    message: `${name} has ${limit} requests in flight, which is as many as one user may have`,
    hint: "Ask with fewer at once; the hub's `--limit-user-requests` sets the limit.",
  });
}

export function userStreams(name: string, limit: number): FairleadError {
  return new FairleadError({
    ...common,
    code: "LIMIT_USER_STREAMS",
    message: `${name} has ${limit} long streams open, which is as many as one user may have`,
    hint: "Close watches, logs or port-forwards that nobody needs; the hub's `--limit-user-streams` sets the limit.",
  });
}

export function clusterRequests(cluster: string, limit: number): FairleadError {
  return new FairleadError({
    ...common,
    code: "LIMIT_CLUSTER_REQUESTS",
    message: `cluster "${cluster}" has ${limit} requests in flight through the hub, which is as many as one may have`,
    hint: "Try again in a moment; the hub's `--limit-cluster-requests` sets the limit.",
  });
}

export function clusterStreams(cluster: string, limit: number): FairleadError {
  return new FairleadError({
    ...common,
    code: "LIMIT_CLUSTER_STREAMS",
    message: `cluster "${cluster}" has ${limit} long streams open through the hub, which is as many as one may have`,
    hint: "Close watches, logs or port-forwards that nobody needs; the hub's `--limit-cluster-streams` sets the limit.",
  });
}

export function hubBusy(cluster: string): FairleadError {
  return new FairleadError({
    ...common,
    code: "LIMIT_HUB_BUSY",
    message: `the hub is busy, and cluster "${cluster}" has its share of it`,
    hint: "Try again in a moment; the hub's `--limit-hub-requests` sets how much it does at once.",
  });
}

export function userApiRequests(name: string, limit: number): FairleadError {
  return new FairleadError({
    ...common,
    code: "LIMIT_USER_API_REQUESTS",
    message: `${name} has ${limit} requests to the hub's own API in flight, which is as many as one user may have`,
    hint: "Ask with fewer at once; the hub's `--limit-user-api-requests` sets the limit.",
  });
}

export function addressRequests(limit: number): FairleadError {
  return new FairleadError({
    ...common,
    code: "LIMIT_ADDRESS_REQUESTS",
    message: `${limit} requests without a sign-in are in flight from this address, which is as many as one may have`,
    hint: "Try again in a moment; the hub's `--limit-address-api-requests` sets the limit.",
  });
}

const common = { httpStatus: 429, retryable: true } as const;
