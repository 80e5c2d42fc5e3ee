// How the hub runs, and how much each user and each cluster can take of it.
import { address, choice, duration, group, rate, type SettingTable, size, whole } from "@fairlead/kernel/settings";

export interface OperationConfig {
  readonly logLevel: "trace" | "debug" | "info" | "warn" | "error" | "silent";
  readonly drainMs: number;
  readonly headDeadlineMs: number;
  readonly linkCreditBytes: number;
  readonly metricsListen: string | undefined;
  readonly metricsClusters: number;
}

export const operationSettings: SettingTable<OperationConfig> = group<OperationConfig>("Operation", {
  logLevel: {
    kind: choice(["trace", "debug", "info", "warn", "error", "silent"], "LEVEL"),
    fallback: "info",
    help: "Lowest level that is logged",
  },
  drainMs: {
    name: "drain",
    kind: duration({ from: "0s", to: "1h", example: "10s" }),
    fallback: 10_000,
    former: { name: "drainMs", factor: 1 },
    help: "Time that requests in progress have to finish when the hub stops",
  },
  // The API server's own limit is 60 s; this one is only for those that hang.
  headDeadlineMs: {
    name: "headDeadline",
    kind: duration({ from: "1s", to: "1h", example: "75s" }),
    fallback: 75_000,
    former: { name: "headDeadlineMs", factor: 1 },
    help: "Time within which a cluster's response must begin",
  },
  // Bounds what agents may send ahead, over all links together.
  linkCreditBytes: {
    name: "linkCredit",
    kind: size({ from: "16Mi", to: "64Gi", example: "512Mi" }),
    fallback: 512 * 2 ** 20,
    former: { name: "linkCreditBytes", factor: 1 },
    help: "Maximum memory for data in transit, over all links of this hub",
    details: "A cluster gets at most a quarter of it, and always 1 MiB, which is added on top.",
  },
  metricsListen: {
    kind: address({ toListen: true, example: "0.0.0.0:9090" }),
    help: "Address that serves /metrics and nothing else, without TLS and to anyone",
    details: "For networks where only Prometheus can reach the port ([metrics](metrics.md#a-port-for-metrics-alone)).",
  },
  metricsClusters: {
    kind: whole({ from: 0, to: 10_000 }),
    fallback: 1_000,
    help: "Maximum number of clusters with metrics of their own; 0 for none",
    details: "The first ones by name have them ([metrics](metrics.md)).",
  },
});

export interface LimitConfig {
  readonly limitUserRequests: number;
  readonly limitUserStreams: number;
  readonly limitUserBytesPerSecond: number;
  readonly limitUserApiRequests: number;
  readonly limitAddressApiRequests: number;
  readonly limitClusterRequests: number;
  readonly limitClusterStreams: number;
  readonly limitClusterBytesPerSecond: number;
  readonly limitHubRequests: number;
}

const overAllHubs = "Counted [over all hubs](scale.md#what-to-run).";

// High enough for one busy controller; they bound what goes wrong.
export const limitSettings: SettingTable<LimitConfig> = group<LimitConfig>("Limits", {
  limitUserRequests: {
    kind: upToAMillion(),
    fallback: 1_000,
    help: "Maximum number of requests in progress per user",
    details: overAllHubs,
  },
  limitUserStreams: {
    kind: upToAMillion(),
    fallback: 500,
    help: "Maximum number of open watches, followed logs and upgraded connections per user",
    details: overAllHubs,
  },
  limitUserBytesPerSecond: {
    name: "limitUserBandwidth",
    kind: rate({ from: "16Ki", example: "10Mi" }),
    fallback: 0,
    former: { name: "limitUserBytesPerSecond", factor: 1 },
    help: "Maximum data per second and user, both directions together",
    details: overAllHubs,
  },
  // Each may cost the database a good part of a second, and it is one for all.
  limitUserApiRequests: {
    kind: upToAMillion(),
    fallback: 16,
    help: "Maximum number of requests to the hub's own API in progress per user",
    details: `That is \`/api/v1\`. ${overAllHubs}`,
  },
  // Many people may sign in from behind one address at once.
  limitAddressApiRequests: {
    kind: upToAMillion(),
    fallback: 64,
    help: "Maximum number of unauthenticated requests in progress per address",
    details: `Such as signing in and refreshing. ${overAllHubs}`,
  },
  limitClusterRequests: {
    kind: upToAMillion(),
    fallback: 2_000,
    help: "Maximum number of requests in progress per cluster",
    details: overAllHubs,
  },
  limitClusterStreams: {
    kind: upToAMillion(),
    fallback: 2_000,
    help: "Maximum number of open watches, followed logs and upgraded connections per cluster",
    details: overAllHubs,
  },
  limitClusterBytesPerSecond: {
    name: "limitClusterBandwidth",
    kind: rate({ from: "16Ki", example: "100Mi" }),
    fallback: 0,
    former: { name: "limitClusterBytesPerSecond", factor: 1 },
    help: "Maximum data per second and cluster, both directions together",
    details: overAllHubs,
  },
  limitHubRequests: {
    kind: upToAMillion(),
    fallback: 50_000,
    help: "Maximum number of requests and streams of all clusters together",
    details: "When half of them are in use, no cluster gets more than its share.",
  },
});

export interface InventoryConfig {
  readonly inventoryClusterMaxKinds: number;
  readonly inventoryClusterMaxObjects: number;
  readonly inventoryClusterMaxBytes: number;
}

export const inventorySettings: SettingTable<InventoryConfig> = group<InventoryConfig>("Inventory", {
  // An agent observes some fifty unless it is told to; with all of a large operator's CRDs it is several hundreds.
  inventoryClusterMaxKinds: {
    kind: upToAMillion(),
    fallback: 1_024,
    help: "Maximum number of kinds that the hub keeps per cluster",
    details: "See [inventory.md](inventory.md#what-a-clusters-copy-may-take).",
  },
  // Objects that were deleted in the last day make room when there is none.
  inventoryClusterMaxObjects: {
    kind: whole({ from: 1, to: 100_000_000 }),
    fallback: 500_000,
    help: "Maximum number of objects that the hub keeps per cluster",
    details: "Objects that were deleted in the last day count.",
  },
  inventoryClusterMaxBytes: {
    name: "inventoryClusterMaxSize",
    kind: size({ from: "1Mi", to: "1Ti", example: "2Gi" }),
    fallback: 2 * 2 ** 30,
    former: { name: "inventoryClusterMaxBytes", factor: 1 },
    help: "Maximum disk space for the copy of one cluster",
    details: "Objects count as they are stored.",
  },
});

function upToAMillion(): ReturnType<typeof whole> {
  return whole({ from: 1, to: 1_000_000 });
}
