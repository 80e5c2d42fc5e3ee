// The proxy needs this much of other rooms and no more, so that its tests need none of them.
import type { FairleadError } from "@fairlead/kernel";
import type { Tracer } from "@fairlead/kernel/tracing";
import type { RequestAttributes } from "@fairlead/kube";
import type { Link } from "@fairlead/protocol";
import type { Decision } from "../../people/access/index.ts";
import type { AuditPort } from "../../people/audit/index.ts";
import type { SessionTap } from "../../people/recordings/index.ts";
import type { LimitLease, LimitRequest } from "../../platform/limits/index.ts";
import type { Absence } from "../clusters/index.ts";

export interface ProxyPorts {
  readonly access: AccessPort;
  /** True when the hub knows a cluster of this name. Answers from memory, for every request. */
  exists(cluster: string): boolean;
  /** The links that serve the cluster's API, best first; only those that take new streams. */
  connections(cluster: string): readonly ProxyLink[];
  /** Gives the reason when there are agents and none is used. It is asked when no connection takes a request. */
  refusal?(cluster: string): FairleadError | undefined;
  /** Asked when no connection takes a request; from memory, as well. */
  absence(cluster: string): Absence;
  /** True when there is a link within the time, for a cluster that has lost its link a moment ago. */
  whenUsable?(cluster: string, options: { readonly signal: AbortSignal; readonly timeoutMs: number }): Promise<boolean>;
  readonly audit?: AuditPort;
  readonly limits?: LimitsPort;
  readonly recordings?: RecordingPort;
  readonly requestLog?: RequestLog;
  readonly tracer?: Tracer | undefined;
  /** Its subdomains are clusters' own hosts. */
  readonly clusterDomain?: string | undefined;
}

export interface ProxyLink {
  readonly link: Pick<Link, "openStream">;
  /** Undefined until the agent has introduced itself. */
  readonly hello?: { readonly capabilities: readonly string[] } | undefined;
}

/** A signed-in user, as the access room knows them. */
export interface Caller {
  readonly kind: "admin-token" | "user" | "robot";
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly sessionId?: string | undefined;
}

/** The user that a caller wants to be instead (`kubectl --as`). */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups: string[];
  readonly extra: Record<string, string[]>;
}

export interface AccessPort {
  /** Throws (or rejects with) a coded error when it doesn't know the caller. Answers at once when it can. */
  authenticate(authorization: string | undefined): Caller | Promise<Caller>;
  /** Answers from memory, for every request. */
  authorize(request: {
    readonly principal: Caller;
    readonly cluster: string;
    readonly attributes: RequestAttributes;
    readonly impersonate?: Impersonation;
  }): Decision;
  /** False after a sign-out, a removal, an expiry. */
  isSignedIn?(principal: Caller): boolean;
  /** Called after anything that may have taken rights away. */
  onChanged?(listener: () => void): () => void;
}

export interface LimitsPort {
  /** Throws a coded error (429) instead of queueing. */
  admit(request: LimitRequest): LimitLease;
}

export interface RecordingPort {
  start(info: {
    readonly requestId: string;
    readonly at: number;
    readonly principal: Caller;
    readonly cluster: string;
    readonly attributes: RequestAttributes;
    readonly upgrade: "websocket" | "spdy/3.1";
    /** The API server's choice. */
    readonly subprotocol: string | undefined;
    readonly query: string;
  }): SessionTap;
}

export interface RequestLog {
  /** True when it wants ordinary requests too, rather than only upgrades and requests that didn't end whole. */
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
  /** It lasts as long as its client wants, as a watch. */
  readonly isLong: boolean;
  /** Undefined when the answer had begun: the client's connection was cut. */
  readonly status: number | undefined;
  /** The bytes of the bodies, or of everything after an upgrade. */
  readonly bytesToCluster: number;
  readonly bytesFromCluster: number;
  readonly durationMs: number;
  readonly error: FairleadError | undefined;
}

export interface ProxyLimits {
  /** The time that the API server may take until its answer begins. Its own limit is 60 s. */
  readonly headDeadlineMs: number;
  /** The same for watches, logs and requests that go on to a pod or a service. */
  readonly longHeadDeadlineMs: number;
  /** The time that a request waits for a link that is about to return; 5 s unless told. */
  readonly returnMs?: number;
}
