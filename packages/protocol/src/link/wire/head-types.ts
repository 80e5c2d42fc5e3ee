// The heads of streams, as their users give them and get them.

/** Flat `[name, value, name, value, …]` as read from the wire: order, case and repeated lines kept. */
export type RawHeaders = readonly string[];

/**
 * The service that a stream asks for; a side that doesn't serve a target refuses the stream and nothing else. `link` is
 * asked for between hubs only: the stream is a connection of an agent whose link the other hub has.
 */
export type StreamTarget = "kubernetes" | "rpc" | "link";

/**
 * The caller, as the hub has found out. It travels as a field and never as a header: only the agent writes
 * `Impersonate-*` lines from it.
 */
export interface CallerIdentity {
  readonly user: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
  /** The person who has signed in and acts as `user`. For the audit record; the cluster isn't told. */
  readonly actor?: string | undefined;
  /** The address that the request came to the hub from, for the audit record. */
  readonly remoteAddress?: string | undefined;
}

/** The OPEN frame: a request, sent by either side. */
export interface OpenHead {
  readonly target: StreamTarget;
  readonly method: string;
  /** Origin-form: path and query, unchanged from the client. */
  readonly path: string;
  readonly headers: RawHeaders;
  /** The opener wants the stream to become a byte pipe after a 101. */
  readonly upgrade: boolean;
  /** The same id from the client to the API server, for logs. */
  readonly requestId: string;
  /** The opener gives up when no HEAD came after this long; the acceptor should stop too. */
  readonly deadlineMs: number;
  /** The request has this caller's rights in the cluster; a `kubernetes` stream without it is refused. */
  readonly identity?: CallerIdentity | undefined;
  /** Between hubs only: the cluster that the request is for. The hub at the other end holds that cluster's link. */
  readonly cluster?: string | undefined;
}

/** The HEAD frame: the answer. 101 turns the stream into a byte pipe. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: RawHeaders;
}
