// The link as its users see it.
import type { LinkStream, StreamHandlers } from "../stream/index.ts";
import type { GoAway, LinkClosed, OpenHead } from "../wire/index.ts";

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
  /** Counts how often the link went on with another connection. */
  readonly resumes: number;
}

/** `resuming`: the connection is gone and the next one awaited; streams wait, and none can be opened. */
export type LinkState = "up" | "resuming";

/** A live link, on either side. It outlives its connections when both sides can resume. */
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
  /** Set by the owner; called with each ping of a peer that says its time: milliseconds since the epoch, to the second. */
  onPeerTime?: ((peerMs: number) => void) | undefined;
  stats(): LinkStats;
}
