import type { Cluster, ClusterEvent, ClusterEventLevel, ClusterState, Labels } from "@fairlead/contract";
import type { Role } from "@fairlead/protocol";

export type ClusterEventType =
  | "created"
  | "token-created"
  | "enrolled"
  | "renewed"
  | "token-misused"
  | "link-misused"
  | "inventory-limited"
  | "cluster-replaced"
  | "connected"
  | "disconnected"
  | "revoked";

export interface NewClusterEvent {
  readonly type: ClusterEventType;
  readonly level?: ClusterEventLevel;
  readonly message: string;
}

/** What the agent tells in its Hello. */
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
  readonly hello?: { readonly agentInstanceId: string; readonly agentVersion: string } | undefined;
  /** Takes no new requests: its agent is leaving, or has a newer link. */
  readonly isDraining?: boolean | undefined;
}

/** What the hub knows of a cluster that nothing leads to at the moment. Times are milliseconds since the epoch. */
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

export interface LinkPresence {
  list(): readonly PresentLink[];
}

export interface NewCluster {
  readonly name: string;
  readonly labels?: Labels | undefined;
  readonly roles: readonly Role[];
}

export interface Clusters extends AsyncDisposable {
  /** Throws CLUSTER_NAME_INVALID, CLUSTER_EXISTS. */
  create(options: NewCluster): Promise<Cluster>;
  /** By name. */
  list(): Cluster[];
  /** Throws CLUSTER_NOT_FOUND. */
  get(name: string): Cluster;
  /** From memory: it is on the path of every proxied request. */
  exists(name: string): boolean;
  /** From memory as well; undefined for a cluster that isn't there. */
  labels(name: string): Readonly<Record<string, string>> | undefined;
  /** From memory as well. Throws CLUSTER_NOT_FOUND. */
  absence(name: string): Absence;
  /** Makes every join token and identity given out so far worthless, then tells the listeners. */
  revoke(name: string, reason?: string): Promise<Cluster>;
  remove(name: string): Promise<void>;
  /** A link is up and its agent said Hello. */
  recordHello(name: string, facts: AgentFacts): Promise<void>;
  /** A link ended. Does nothing when the cluster was removed meanwhile. */
  recordDisconnect(name: string, reason: string): Promise<void>;
  /** An agent enrolled: a cluster that was revoked before this epoch is in use again. */
  recordEnrollment(name: string, enrollment: { readonly epoch: number; readonly message: string }): Promise<void>;
  recordEvent(name: string, event: NewClusterEvent): Promise<void>;
  /** Newest first. */
  listEvents(name: string, limit: number): Promise<ClusterEvent[]>;
  links(name: string): PresentLink[];
  /** After `revoke` and `remove`. Returns the way to stop listening. */
  onRevoked(listener: (event: { readonly cluster: string }) => void): () => void;
}
