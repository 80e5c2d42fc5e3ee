import type { Cluster, ClusterAlarm, ClusterEvent, ClusterEventLevel, ClusterState, Labels } from "@fairlead/contract";
import type { FairleadError } from "@fairlead/kernel";
import type { Role } from "@fairlead/protocol";
import type { Selectable } from "kysely";
import type { Changes } from "../../platform/changes/index.ts";
import type { DeclaredPart } from "../../platform/declarations/index.ts";
import type { ClusterTable } from "../../platform/store/index.ts";

/** As it is stored. */
export type ClusterRow = Selectable<ClusterTable>;

/** Which cluster a name means, and which other one answers under it. */
export type Uids = Pick<ClusterRow, "kube_system_uid" | "replacement_uid">;

/** The way to the other hubs on the database. */
export type ClusterChanges = Pick<Changes, "commit" | "follow" | "era">;

export type ClusterEventType =
  | "created"
  | "token-created"
  | "enrolled"
  | "let-in"
  | "renewed"
  | "token-misused"
  | "link-misused"
  | "inventory-limited"
  | "cluster-replaced"
  | "cluster-enrolled-twice"
  | "connected"
  | "disconnected"
  | "alarm-seen"
  | "revoked";

export interface NewClusterEvent {
  readonly type: ClusterEventType;
  readonly level?: ClusterEventLevel;
  readonly message: string;
}

/** Facts from the agent's Hello. */
export interface AgentFacts {
  readonly agentVersion?: string | undefined;
  readonly kubernetesVersion?: string | undefined;
  readonly kubeSystemUid?: string | undefined;
  /** Agent's clock minus the hub's. */
  readonly clockSkewMs?: number | undefined;
}

/** The part of a live link that clusters read; the links room has the rest. */
export interface PresentLink {
  readonly id: string;
  readonly cluster: string;
  readonly roles: readonly Role[];
  /** Milliseconds since the epoch. */
  readonly connectedAt: number;
  /** When the certificate that it authenticated with ends, milliseconds since the epoch. */
  readonly notAfter: number;
  readonly remoteAddress: string;
  readonly hello?:
    | {
        readonly agentInstanceId: string;
        readonly agentVersion: string;
        readonly kubeSystemUid?: string | undefined;
      }
    | undefined;
  /** Why it isn't taken for one of this cluster. */
  readonly refusal?: FairleadError | undefined;
  /** Takes no new requests: its agent is leaving, or has a newer link. */
  readonly isDraining?: boolean | undefined;
}

/** The hub's knowledge of a cluster that nothing leads to at the moment. Times are milliseconds since the epoch. */
export interface Absence {
  readonly state: Exclude<ClusterState, "stale">;
  readonly sinceMs: number;
  /** When the latest link was lost; undefined when there never was one. */
  readonly lostMs: number | undefined;
}

/** Why what the hub knows of a cluster's objects is older than it should be. */
export interface Staleness {
  /** Milliseconds since the epoch. */
  readonly sinceMs: number;
  readonly reason: string;
}

/** A cluster's state as the API shows it. */
export interface ShownState {
  readonly state: ClusterState;
  /** Milliseconds since the epoch. */
  readonly sinceMs: number;
  readonly reason?: string | undefined;
}

export interface LinkPresence {
  /** The links of all clusters, to any hub. */
  list(): readonly PresentLink[];
  /** The links of one cluster. Called for every link and request, so it may not go through all there are. */
  of(cluster: string): readonly PresentLink[];
}

export interface NewCluster {
  readonly name: string;
  readonly labels?: Labels | undefined;
  readonly roles: readonly Role[];
}

export interface ClusterEnrollment {
  readonly epoch: number;
  /** The cluster is for these too from now on. */
  readonly roles: readonly Role[];
  readonly message: string;
}

export interface Clusters extends AsyncDisposable {
  /** Throws CLUSTER_NAME_INVALID, CLUSTER_NAME_RESERVED, CLUSTER_EXISTS. */
  create(options: NewCluster): Promise<Cluster>;
  /** By name. */
  list(): Cluster[];
  /** The same without their states, for questions over thousands of them. */
  names(): readonly Pick<ClusterRow, "name" | "labels">[];
  /** Throws CLUSTER_NOT_FOUND. */
  get(name: string): Cluster;
  /** The same, no more than the state. Throws CLUSTER_NOT_FOUND. */
  state(name: string): ShownState;
  /** From memory: it is on the path of every proxied request. */
  exists(name: string): boolean;
  /** Looks in the database for one that isn't in memory: another hub may have made it just now. */
  meet(name: string): Promise<void>;
  /** From memory as well; undefined for a cluster that isn't there. */
  labels(name: string): Readonly<Record<string, string>> | undefined;
  /** From memory as well; false for what was revoked, also when the store's answer is older than that. */
  isCurrentEpoch(name: string, epoch: number): boolean;
  /** From memory as well. Throws CLUSTER_NOT_FOUND. */
  absence(name: string): Absence;
  /** Makes every join token and identity given out so far worthless, then tells the listeners. */
  revoke(name: string, reason?: string): Promise<Cluster>;
  remove(name: string): Promise<void>;
  /**
   * A link is up and its agent said Hello. Its word on its cluster counts at once, before anything is stored: ask
   * `refusal` then. Nothing else is kept of an agent that is refused, and a repeated Hello is no event.
   */
  recordHello(name: string, facts: AgentFacts, options?: { readonly isRepeated?: boolean }): Promise<void>;
  /** CLUSTER_IDENTITY_MISMATCH or _UNPROVEN for an agent that says this. From memory; undefined for who isn't there. */
  refusal(name: string, said: Pick<AgentFacts, "kubeSystemUid" | "kubernetesVersion">): FairleadError | undefined;
  /** Keeps what an agent says beside its Hello in the same way. The answer is the refusal, if there is one. */
  recordUid(name: string, kubeSystemUid: string): Promise<FairleadError | undefined>;
  /** UIDs of the cluster that the name means, and of another one that answers and waits. Throws CLUSTER_NOT_FOUND. */
  uids(name: string): { readonly known: string | undefined; readonly replacement: string | undefined };
  /** The name means another cluster from now on. False when it did already. Throws INVENTORY_REPLACEMENT_UNKNOWN. */
  confirmReplacement(name: string, kubeSystemUid: string): Promise<boolean>;
  /** A link ended. Does nothing when the cluster was removed meanwhile. */
  recordDisconnect(name: string, reason: string): Promise<void>;
  /** An agent enrolled: a cluster that was revoked before this epoch is in use again. */
  recordEnrollment(name: string, enrollment: ClusterEnrollment): Promise<void>;
  /** Agents that need no token may come for these roles, also when the cluster was revoked. Throws CLUSTER_NOT_FOUND. */
  letIn(name: string, roles: readonly Role[]): Promise<void>;
  recordEvent(name: string, event: NewClusterEvent): Promise<void>;
  /** Lists alarms that nobody has seen yet, latest first. */
  listAlarms(name: string): Promise<ClusterAlarm[]>;
  /** Throws CLUSTER_ALARM_NOT_FOUND, CLUSTER_ALARM_AGAIN. */
  seeAlarm(name: string, seen: { readonly id: string; readonly count: number; readonly by: string }): Promise<void>;
  /** Newest first. */
  listEvents(name: string, limit: number): Promise<ClusterEvent[]>;
  links(name: string): PresentLink[];
  /** Declares clusters by files. */
  readonly declaredPart: DeclaredPart;
  /** Ends their links; whoever is still good comes back. */
  cut(names: readonly string[]): void;
  /** After a cluster's labels changed. Returns the way to stop listening. */
  onChanged(listener: (event: { readonly cluster: string }) => void): () => void;
  /** After a replacement was confirmed. Returns the way to stop listening. */
  onReplaced(listener: (event: { readonly cluster: string }) => void): () => void;
  /** After `revoke` and `remove`. Returns the way to stop listening. */
  onRevoked(listener: (event: { readonly cluster: string }) => void): () => void;
}
