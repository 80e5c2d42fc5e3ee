// The link as its users see it. A link carries many streams; a stream is one HTTP-shaped exchange, or a byte pipe
// after an upgrade. Callbacks instead of Node streams: one request costs a handful of objects, and credit returns
// only when the consumer says that it took the bytes.
import type { FairleadError } from "@fairlead/kernel";

/** Flat `[name, value, name, value, …]` as read from the wire: order, case and repeated lines kept. */
export type RawHeaders = readonly string[];

/** What a stream is for; a side that doesn't serve a target refuses the stream and nothing else. */
export type StreamTarget = "kubernetes" | "rpc";

/**
 * Who asks, as the hub has found out. It travels as a field and never as a header: only the agent writes
 * `Impersonate-*` lines from it.
 */
export interface CallerIdentity {
  readonly user: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Who has signed in, when they act as `user`. For the audit record; the cluster isn't told. */
  readonly actor?: string | undefined;
  /** Where the request reached the hub from, for the audit record. */
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
  /** One id from the client to the API server, for logs. */
  readonly requestId: string;
  /** The opener gives up when no HEAD came after this long; the acceptor should stop too. */
  readonly deadlineMs: number;
  /** Whose rights the request has in the cluster; a `kubernetes` stream without it is refused. */
  readonly identity?: CallerIdentity | undefined;
}

/** The HEAD frame: the answer. 101 turns the stream into a byte pipe. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: RawHeaders;
}

/** Why a stream was reset; the numbers are the wire's, documented in docs/PROTOCOL.md. */
export const resetCodes = {
  /** The rest isn't wanted; not a failure (the peer already answered whole). */
  noError: 0,
  cancelled: 1,
  refused: 2,
  internal: 3,
  flowControl: 4,
  deadline: 5,
  upstreamUnreachable: 6,
  upstreamBroken: 7,
  goingAway: 8,
  protocol: 9,
  linkLost: 10,
  unknownTarget: 11,
  overloaded: 12,
} as const;
export type ResetCode = (typeof resetCodes)[keyof typeof resetCodes];

/** What happens on a stream. After `onReset`, or after both directions ended, nothing more is called. */
export interface StreamHandlers {
  /** Opener only: once, before any data. */
  onHead?(head: ResponseHead): void;
  /** The receiver must call `stream.consumed(n)` when it has passed the bytes on; until then they count as held. */
  onData(chunk: Uint8Array): void;
  /** The peer's direction ended cleanly. */
  onEnd(trailers: RawHeaders): void;
  /** The stream is over and not whole; `code` says why. Never follows a complete exchange. */
  onReset(error: FairleadError, code: ResetCode): void;
  /** Credit is back after a `write` that returned false. */
  onWritable?(): void;
}

export interface LinkStream {
  readonly id: number;
  readonly open: OpenHead;
  /** Acceptor only: once, before data. */
  respond(head: ResponseHead): void;
  /** Queues the bytes (not copied: the caller leaves them alone). False: stop until `onWritable`. */
  write(chunk: Uint8Array): boolean;
  /** Half-closes our direction, after all that was written. */
  end(trailers?: RawHeaders): void;
  /** Ends both directions at once and drops what is queued. Does nothing on a stream that is over. */
  reset(code: ResetCode, message?: string): void;
  /** Gives credit back for bytes got by `onData`. */
  consumed(sizeBytes: number): void;
  /** Reset with `deadline` unless it is over by then, or told another time; undefined: it may go on. */
  endWithin(ms: number | undefined): void;
}

/** Called for each stream that the peer opens; returns the handlers at once, or throws a coded error to refuse it. */
export type StreamAcceptor = (stream: LinkStream) => StreamHandlers;

export type LinkClosed =
  | { readonly reason: "closed-by-us" }
  | { readonly reason: "closed-by-peer"; readonly code: number; readonly text: string }
  | { readonly reason: "dead-peer"; readonly silentMs: number }
  | { readonly reason: "violation"; readonly error: FairleadError }
  | { readonly reason: "socket-error"; readonly error: FairleadError };

export interface GoAway {
  readonly reason: string;
  /** How long streams in flight may go on. */
  readonly drainMs: number;
  /** When the agent may come back; undefined: at once, to another hub. */
  readonly reconnectAfterMs?: number | undefined;
}

export interface LinkStats {
  readonly streams: { readonly opening: number; readonly open: number; readonly halfClosed: number };
  readonly bytes: { readonly received: number; readonly sent: number };
  /** Received and not yet consumed; what the peer may still send us; what we queued and couldn't send. */
  readonly credit: { readonly heldBytes: number; readonly grantedBytes: number; readonly queuedBytes: number };
  readonly frames: { readonly received: number; readonly sent: number };
  readonly resetsByCode: Readonly<Record<number, number>>;
  /** Age of the oldest queued frame; 0 when nothing waits. */
  readonly queueAgeMs: number;
  /** Streams with queued data whose reader has given no credit for a minute. Legal, but worth a look. */
  readonly starvedStreams: number;
  readonly lastRttMs: number | undefined;
  /** Kept until the peer says that it arrived. */
  readonly retainedBytes: number;
  /** How often the link went on with another connection. */
  readonly resumes: number;
}

/** `resuming`: the connection is gone and the next one awaited; streams wait, and none can be opened. */
export type LinkState = "up" | "resuming";

/** One live link, either side. It outlives its connections when both sides can resume. */
export interface Link {
  readonly state: LinkState;
  /** Open in either direction. */
  readonly streamCount: number;
  /** Set by the owner. Not called when the link ends: that is `closed`. */
  onStateChanged: ((state: LinkState) => void) | undefined;
  /** Opens a stream. Throws LINK_CLOSED, LINK_RESUMING, LINK_GOING_AWAY or LINK_TOO_MANY_STREAMS instead of queueing. */
  openStream(open: OpenHead, handlers: StreamHandlers): LinkStream;
  /** A round trip over the whole path, in milliseconds. Rejects when the link ends or the signal aborts first. */
  ping(options?: { readonly signal?: AbortSignal }): Promise<number>;
  /** Tells the peer to open no more streams and to move elsewhere; ours go on until the deadline, then close. */
  goAway(message: GoAway): Promise<void>;
  /** Closes at once; every stream ends in a reset (`linkLost`). */
  close(reason: string): void;
  readonly closed: Promise<LinkClosed>;
  /** Set by the owner; called when the peer says GOAWAY. */
  onGoAway: ((message: GoAway) => void) | undefined;
  stats(): LinkStats;
}
