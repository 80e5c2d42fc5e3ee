import type { ClusterState, KindState } from "@fairlead/contract";

/** By what an object is found, wherever it is on its way. */
export interface ObjectNames {
  readonly cluster: string;
  /** `pods`, `deployments.apps`. */
  readonly kind: string;
  readonly uid: string;
  /** Empty for what has none. */
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** A change that the store has. Listeners get them in the order of their revisions. */
export interface CommittedChange extends ObjectNames {
  /** Over all clusters, rising; each change has one of its own. */
  readonly revision: number;
  /** `forgotten`: it may still be there, but isn't observed any more. */
  readonly change: ChangeType;
  readonly health?: string | undefined;
  /** As the agent sent it; not there for what is gone, and after a failure of the store. Not to be kept or changed. */
  readonly object?: ObservedObject | undefined;
}

export type ChangeType = "created" | "updated" | "status" | "deleted" | "forgotten";

/** An object as the agent's projection left it. */
export interface ObservedObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: {
    readonly uid: string;
    readonly name: string;
    readonly namespace?: string;
    readonly generation?: number;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

export interface KindFreshness {
  readonly kind: string;
  readonly state: KindState;
  /** When it came into this state. */
  readonly since: string;
  /** Why it is unavailable. */
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  /** When the hub's copy was last known to be what the cluster has; undefined: never. */
  readonly verifiedAt?: string | undefined;
  readonly ageMs?: number | undefined;
  /** The number of objects that are there now. */
  readonly objects: number;
}

export interface ClusterFreshness {
  readonly cluster: string;
  readonly state: ClusterState;
  readonly stateSince: string;
  readonly reason?: string | undefined;
  /** The age of the kind that has waited longest, of those that can be observed; undefined: there is no copy yet. */
  readonly verifiedAt?: string | undefined;
  readonly ageMs?: number | undefined;
  /** Age of the oldest change that the agent knows and the hub's store hasn't; 0 when there is none. */
  readonly lagMs: number;
  readonly pendingChanges: number;
  readonly kinds: readonly KindFreshness[];
  /** UID of the namespace kube-system that the copy is of. */
  readonly kubeSystemUid?: string | undefined;
  /** The UID of another cluster that answers under this name and waits to be confirmed. */
  readonly replacementUid?: string | undefined;
}

export interface CopyAge extends Pick<ClusterFreshness, "cluster" | "state" | "verifiedAt" | "ageMs"> {
  readonly kinds: readonly KindAge[];
}

export type KindAge = Pick<KindFreshness, "kind" | "state" | "code" | "message" | "verifiedAt" | "ageMs">;

/** A kind as one cluster has it. */
export interface KindInfo {
  /** `resource[.group]`. */
  readonly kind: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** `Deployment`. */
  readonly kindName: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  /** A CRD's additionalPrinterColumns. */
  readonly printerColumns?: unknown;
}

/** Sums over what the hub's copy of a cluster has. */
export interface ObservedFacts {
  readonly nodes: number;
  readonly readyNodes: number;
  readonly pods: number;
  /** By phase. */
  readonly podPhases: Readonly<Record<string, number>>;
  readonly capacity: ResourceSums;
  readonly allocatable: ResourceSums;
  /** The sum over pods that hold them: neither succeeded nor failed. */
  readonly requests: ResourceSums;
}

export interface ResourceSums {
  readonly cpuMillis: number;
  readonly memoryBytes: number;
  /** How many pods fit; for requests: how many there are. */
  readonly pods: number;
}

/** Other rooms read this of the inventory beside its tables. */
export interface InventoryReader {
  /** From memory. Throws CLUSTER_NOT_FOUND. */
  freshness(cluster: string): ClusterFreshness;
  /** The same of some kinds, and no more than an answer over thousands of clusters says of each. */
  age(cluster: string, kinds: ReadonlySet<string>): CopyAge;
  /** From memory; empty for a cluster that was never observed. */
  kinds(cluster: string): readonly KindInfo[];
  /** From memory; undefined for a kind that the cluster doesn't have. */
  kind(cluster: string, kind: string): KindInfo | undefined;
  /** From the store; a cluster that was never observed isn't in it. */
  facts(clusters: readonly string[]): Promise<ReadonlyMap<string, ObservedFacts>>;
  /** The revision of the newest change that the store has. */
  readonly revision: number;
  /**
   * Resolves when changes up to the revision were told, or won't be: a client may have been told of them by another hub.
   * Waits for some seconds at most.
   */
  catchUp(revision: number): Promise<void>;
  /** A mark of what the database has been: revisions under another mark say nothing. */
  readonly history: string;
  /** The database isn't where it was, as after a failover that lost changes: revisions begin anew. */
  onHistoryLost(listener: () => void): () => void;
  /** After each commit. Returns the way to stop listening. */
  onCommitted(listener: (changes: readonly CommittedChange[]) => void): () => void;
  /** When state, reason or a kind's state of a cluster changed; ages grow without a call. */
  onFreshnessChanged(listener: (cluster: string) => void): () => void;
  /** Another cluster may go on under this name: what the hub has of the one before is forgotten. */
  confirmReplacement(cluster: string, kubeSystemUid: string): Promise<void>;
}
