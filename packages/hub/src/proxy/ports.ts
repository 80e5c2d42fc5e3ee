// What the proxy needs of other rooms, as narrow as it is, so that its tests need none of them.
import type { ClusterState } from "@fairlead/contract";
import type { Link } from "@fairlead/protocol";

/** Who asks. Throws (or rejects with) a coded error when nobody does; answers at once when it can. */
export type Authenticate = (authorization: string | undefined) => object | Promise<object>;

export interface ProxyPorts {
  readonly authenticate: Authenticate;
  /** Whether the hub knows a cluster of this name; from memory, for every request. */
  exists(cluster: string): boolean;
  /** The links that serve the cluster's API, best first; only those that take new streams. */
  connections(cluster: string): readonly { readonly link: Link }[];
  /** Asked when no connection takes a request; from memory, as well. */
  absence(cluster: string): Absence;
  /** A line for the log about a request that failed between the client and the API server. */
  onFailure?(failure: ProxyFailure): void;
}

/** Times are milliseconds since the epoch. */
export interface Absence {
  /** `connected`: by agents that don't serve its API. */
  readonly state: ClusterState;
  readonly sinceMs: number;
  /** When the latest link was lost; undefined when there never was one. */
  readonly lostMs: number | undefined;
}

export interface ProxyFailure {
  readonly requestId: string;
  readonly cluster: string;
  readonly method: string;
  readonly code: string;
  readonly message: string;
  /** Undefined when the answer had begun: the client's connection was cut. */
  readonly status: number | undefined;
  readonly cause: unknown;
}

export interface ProxyLimits {
  /** How long the API server may take until its answer begins; its own limit is 60 s. */
  readonly headDeadlineMs: number;
  /** The same for watches, logs and what goes on to a pod or a service. */
  readonly longHeadDeadlineMs: number;
}
