// The numbers that metrics are made of, as rooms hand them in. They are read when metrics are scraped.
import type { Histogram } from "@fairlead/kernel";
import type { TracingCounters } from "@fairlead/kernel/tracing";
import type { LinkBudget, LinkStats } from "@fairlead/protocol";
import type { GitopsTotals } from "./gitops-metrics.ts";

export interface MetricSources {
  readonly links: () => readonly { readonly stats: () => LinkStats }[];
  /** Totals of links that are gone, so that counters never fall. */
  readonly pastLinks: () => LinkTotals;
  readonly budget: LinkBudget;
  readonly proxy: {
    readonly active: number;
    readonly activeUpgrades: number;
    readonly byStatus: ReadonlyMap<number, number>;
    readonly byErrorCode: ReadonlyMap<string, number>;
    readonly byCluster: ReadonlyMap<string, ClusterTraffic>;
  };
  readonly api: { readonly byStatus: ReadonlyMap<number, number>; readonly byErrorCode: ReadonlyMap<string, number> };
  readonly linkErrors: ReadonlyMap<string, number>;
  readonly audit: () => AuditTotals;
  readonly clusters: ClusterSources;
  readonly database: () => readonly ShareReading[];
  /** Of the hub's own certificates, milliseconds since the epoch by listener. */
  readonly certificateEnds: () => ReadonlyMap<string, number>;
  readonly limits: { readonly refused: ReadonlyMap<string, number>; readonly inFlight: number };
  readonly recordings: { readonly running: number };
  readonly inventory: () => InventoryTotals;
  readonly copyOf: (cluster: string) => CopyTotals;
  readonly commands: () => CommandTotals;
  readonly gitops: () => GitopsTotals;
  readonly sharing: SharingSources;
  /** Undefined for a hub that has its database alone. */
  readonly hubs?: HubSources | undefined;
  /** Undefined where nothing is traced. */
  readonly tracing?: TracingCounters | undefined;
  /** Undefined where nothing is declared by files. */
  readonly declarations?: DeclarationSources | undefined;
}

export interface DeclarationSources {
  readonly documents: number;
  readonly isFailing: boolean;
  readonly drifts: number;
}

/** Traffic between this hub and the others. */
export interface HubSources {
  /** Hubs that are alive. */
  readonly count: () => { readonly linked: number; readonly unlinked: number };
  readonly relayed: { readonly active: number; readonly total: number };
}

/** How hubs on one database see each other's changes and share their work. */
export interface SharingSources {
  readonly bus: {
    readonly adapter: string;
    readonly state: { readonly kind: "up" | "away" };
    readonly counters: {
      readonly hints: number;
      readonly sent: number;
      readonly received: number;
      readonly failed: number;
    };
  };
  readonly changes: {
    readonly counters: {
      readonly looks: number;
      readonly failedLooks: number;
      readonly wentBack: number;
      readonly rereads: ReadonlyMap<string, number>;
      readonly failedRereads: ReadonlyMap<string, number>;
    };
  };
  readonly leases: { readonly heldCount: number };
}

export interface InventoryTotals {
  /** Clusters that are reported at the moment. */
  readonly reports: number;
  readonly objects: number;
  /** The lag of the cluster that waits longest. */
  readonly lagMs: number;
  readonly isStoreFailing: boolean;
  readonly changes: ReadonlyMap<string, number>;
  readonly errorsByCode: ReadonlyMap<string, number>;
}

export interface CommandTotals {
  /** Those of all clusters, as of some seconds ago. */
  readonly open: OpenCommands;
  /** By outcome, since this hub began. */
  readonly finished: ReadonlyMap<string, number>;
  readonly byCluster: ReadonlyMap<string, ClusterCommands>;
}

export interface ClusterCommands {
  /** Those that haven't ended, as of some seconds ago. */
  open: OpenCommands;
  readonly finished: Map<string, number>;
  readonly durations: Histogram;
}

export interface OpenCommands {
  readonly queued: number;
  /** Those that wait for people to approve them. */
  readonly awaiting: number;
  readonly awaitingPlan: number;
  readonly claimed: number;
}

/** Read when metrics are scraped. */
export interface AuditTotals {
  readonly waiting: number;
  readonly kept: number;
  readonly failures: number;
  readonly refused: number;
  /** Records lost although the setting allows that. */
  readonly dropped: number;
}

export interface LinkTotals {
  readonly links: number;
  readonly receivedBytes: number;
  readonly sentBytes: number;
  readonly receivedFrames: number;
  readonly sentFrames: number;
  readonly resumes: number;
  readonly resetsByCode: Readonly<Record<number, number>>;
}

/** The registry of clusters, as far as metrics read it. */
export interface ClusterSources {
  /** In their order. */
  names(): readonly { readonly name: string }[];
  readonly exists: (name: string) => boolean;
  state(name: string): { readonly state: string };
  links(name: string): readonly { readonly notAfter: number }[];
}

/** A cluster's proxied requests since this hub began. */
export interface ClusterTraffic {
  active: number;
  /** By class of their status, such as `2xx`. */
  readonly ended: Map<string, number>;
  sentBytes: number;
  receivedBytes: number;
  readonly durations: Histogram;
}

/** The hub's copy of a cluster's objects. */
export interface CopyTotals {
  /** When the kind that was verified longest ago was; undefined until all were. */
  readonly verifiedMs: number | undefined;
  readonly lagMs: number;
  readonly pendingChanges: number;
  readonly objects: number;
}

/** One of the pools of connections to the database. */
export interface ShareReading {
  readonly name: string;
  readonly durations: Histogram;
  readonly idle: number;
  readonly busy: number;
  readonly waiting: number;
}
