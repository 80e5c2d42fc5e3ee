// The facts of a request that are known when it begins, and those when it is over. Times are milliseconds since the
// epoch.

export interface AuditStart {
  readonly requestId: string;
  readonly at: number;
  /** Absent while nobody is known to ask. */
  readonly principal?: AuditPrincipal | undefined;
  /** The user asked for with `--as`. */
  readonly actingAs?: string | undefined;
  readonly remoteAddress: string;
  readonly userAgent: string;
  /** Empty for what is about the hub alone. */
  readonly cluster: string;
  readonly method: string;
  /** Without what a query may hold of secrets. */
  readonly path: string;
  readonly attributes?: AuditAttributes | undefined;
  /** The template by which something was asked for, with its revision. */
  readonly template?: string | undefined;
  /** Gets a record when it begins, too. */
  readonly isLong: boolean;
  /** Isn't done before it is on disk that it was asked for, where records are required; gets a record when it begins. */
  readonly isChange?: boolean | undefined;
  readonly kubectlCommand?: string | undefined;
  readonly kubectlSession?: string | undefined;
}

export interface AuditPrincipal {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly sessionId?: string | undefined;
}

export interface AuditAttributes {
  readonly verb: string;
  readonly apiGroup: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

export interface AuditOutcome {
  /** Absent when the answer had begun and was cut. */
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly bytesToCluster: number;
  readonly bytesFromCluster: number;
  readonly durationMs: number;
  readonly reason?: string | undefined;
}

export interface AuditTrail {
  /**
   * For a change: resolves when its beginning is on disk, rejects with AUDIT_UNAVAILABLE. Absent: nothing to wait for.
   */
  readonly begun?: Promise<void> | undefined;
  /** Once, however the request ended; later calls do nothing. */
  end(outcome: AuditOutcome): void;
  /** As `end`; resolves when the record is on disk where that is required, and rejects with AUDIT_UNAVAILABLE. */
  endSafely(outcome: AuditOutcome): Promise<void>;
}

export interface AuditPort {
  /** Throws AUDIT_UNAVAILABLE when no record of it could be kept. */
  begin(start: AuditStart): AuditTrail;
}

/** The contents of a record. */
export interface Entry {
  readonly at: number;
  readonly phase: "start" | "end";
  readonly start: AuditStart;
  /** The outcome, in the phase `end`. */
  readonly outcome?: AuditOutcome | undefined;
  readonly correlates?: string | undefined;
  readonly count?: number | undefined;
  /** The record is about other chains alone. */
  readonly heads?: readonly NamedHead[] | undefined;
}

/** The newest record of a chain. */
export interface Head {
  readonly seq: number;
  readonly hash: string;
}

/** Another chain's newest record, as its hub had written it. */
export interface NamedHead extends Head {
  readonly chain: string;
  /** Its records were all deleted because of their age, and the chain is forgotten. */
  readonly gone?: boolean | undefined;
}

/** The fields by which a record names the hub that wrote it. */
export interface Writing {
  readonly chain: string;
  readonly hub?: string | undefined;
}

/** The chain of a hub that has its database alone. */
export const firstChain = "";

/** Records that follow on one another, as the store and followers get them. */
export interface Block {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly users: readonly string[];
  readonly clusters: readonly string[];
  readonly lastHash: string;
  /** The newest record that isn't about other chains alone; absent where nobody needs it. */
  readonly actSeq?: number | undefined;
  /** JSON objects, one a line, each ending in the record's hash. */
  readonly lines: readonly string[];
}

export interface Span {
  readonly firstSeq: number;
  readonly lastSeq: number;
}
