import type { Clock } from "@fairlead/kernel";
import type { Tracer } from "@fairlead/kernel/tracing";
import type { OperationSource, ReplicaSource, ReplicaTarget } from "@fairlead/protocol";
import type { HubObjects, OwnershipFence } from "../types.ts";
import type { DeletionHolds, GuardRules } from "./guard/index.ts";
import type { KeptOperations } from "./kept-operations.ts";

/** The hub's ends of one cluster's flows, for one call. */
export interface HubEnds {
  readonly sources: ReadonlyMap<string, ReplicaSource>;
  readonly targets: ReadonlyMap<string, ReplicaTarget>;
  readonly operations: OperationSource;
  /** NAMESPACE/NAME on the hub; undefined where the hub doesn't know it. */
  readonly nameOf?: (uid: string) => string | undefined;
  /** How many deletions wait for a confirmation. */
  readonly heldDeletions?: () => number;
  /** Resolves when more may be received. */
  untilRoom(): Promise<void>;
  /** Reads and follows the hub's objects until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

export interface EndsOptions {
  readonly objects: HubObjects;
  /** The cluster's namespace on the hub. */
  readonly namespace: string;
  readonly fence: OwnershipFence;
  readonly limits: SyncLimits;
  /** Which deletions of applications wait for a confirmation, and where those that do are kept. */
  readonly rules: GuardRules;
  readonly holds: DeletionHolds;
  /** Where it is kept which operations people asked for. */
  readonly keptOperations: KeptOperations;
  /** Some end has something to say. */
  readonly onWork: () => void;
  /** Another hub owns the cluster's sync now. */
  readonly onFenced: () => void;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: SyncLog;
  readonly tracer?: Tracer | undefined;
  /** Ends all reads and writes. */
  readonly signal: AbortSignal;
}

/** The hub's own settings. */
export interface SharingSettings {
  readonly argoNamespace: string;
  /** Whether repositories that belong to no project go to all managed clusters. */
  readonly sharesGlobalRepositories: boolean;
  readonly publicUrl: string | undefined;
  /** What autonomous clusters' objects keep on the hub. */
  readonly mirrors: MirrorPolicy;
}

/** What the hub's administrator lets autonomous clusters' objects keep on the hub. */
export interface MirrorPolicy {
  /** What policies of projects' roles may allow. */
  readonly actions: readonly MirrorAction[];
  /** Groups that a role of a project may name. */
  readonly groups: readonly string[];
  /** Labels and annotations: names, `PREFIX/*`, and `*` for all names without a prefix. */
  readonly labels: readonly string[];
}

export type MirrorAction = "get" | "sync" | "action/*" | "logs" | "exec";

export interface SyncLimits {
  readonly maxUnackedEntries: number;
  readonly maxUnackedBytes: number;
  readonly maxEntryBytes: number;
}

export interface SyncLog {
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
}
