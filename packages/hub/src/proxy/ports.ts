// What the proxy needs of other rooms, as narrow as it is, so that its tests need none of them.
import type { ClusterState } from "@fairlead/contract";
import type { FairleadError } from "@fairlead/kernel";
import type { RequestAttributes } from "@fairlead/kube";
import type { CallerIdentity, Link } from "@fairlead/protocol";

/** Who has signed in, as the access room knows them. */
export interface Caller {
  readonly kind: "admin-token" | "user" | "robot";
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly sessionId?: string | undefined;
}

/** Whom a caller wants to be instead (`kubectl --as`). */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export type Decision =
  | {
      readonly allowed: true;
      /** Whose rights the request has in the cluster. */
      readonly identity: CallerIdentity;
      /** What is typed into a pod and printed there is kept. */
      readonly record: boolean;
    }
  | { readonly allowed: false; readonly reason: string };

export interface AccessPort<C extends Caller = Caller> {
  /** Throws (or rejects with) a coded error when nobody asks whom it knows; answers at once when it can. */
  authenticate(authorization: string | undefined): C | Promise<C>;
  /** From memory, for every request. */
  authorize(request: {
    readonly principal: C;
    readonly cluster: string;
    readonly attributes: RequestAttributes;
    readonly impersonate?: Impersonation;
  }): Decision;
}

export interface ProxyPorts {
  readonly access: AccessPort;
  /** Whether the hub knows a cluster of this name; from memory, for every request. */
  exists(cluster: string): boolean;
  /** The links that serve the cluster's API, best first; only those that take new streams. */
  connections(cluster: string): readonly { readonly link: Link }[];
  /** Asked when no connection takes a request; from memory, as well. */
  absence(cluster: string): Absence;
  readonly requestLog?: RequestLog;
}

/** Times are milliseconds since the epoch. */
export interface Absence {
  /** `connected`: by agents that don't serve its API. */
  readonly state: ClusterState;
  readonly sinceMs: number;
  /** When the latest link was lost; undefined when there never was one. */
  readonly lostMs: number | undefined;
}

export interface RequestLog {
  /** Whether it wants ordinary requests too, rather than only upgrades and what didn't end whole. */
  readonly isVerbose: boolean;
  write(request: FinishedRequest): void;
}

export interface FinishedRequest {
  readonly requestId: string;
  /** Empty when the path names none. */
  readonly cluster: string;
  readonly method: string;
  /** Within the cluster; values of its query that may be secrets are masked. */
  readonly path: string;
  readonly isUpgrade: boolean;
  /** Undefined when the answer had begun: the client's connection was cut. */
  readonly status: number | undefined;
  /** Of the bodies, or of what passed after an upgrade. */
  readonly bytesToCluster: number;
  readonly bytesFromCluster: number;
  readonly durationMs: number;
  readonly error: FairleadError | undefined;
}

export interface ProxyLimits {
  /** How long the API server may take until its answer begins; its own limit is 60 s. */
  readonly headDeadlineMs: number;
  /** The same for watches, logs and what goes on to a pod or a service. */
  readonly longHeadDeadlineMs: number;
}
