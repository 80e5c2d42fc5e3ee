import { maxWholeHeadBytes } from "../wire/index.ts";

/** The limits of one side of a link. The receiver's are told to the peer in SETTINGS. */
export interface LinkLimits {
  /** Largest payload of one frame that we send; what we accept is twice that, so that both ends may tune apart. */
  readonly frameBytes: number;
  /** Credit that a new stream's sender starts with, and what it may grow to where the path is long and fast. */
  readonly windowBytes: number;
  readonly maxWindowBytes: number;
  /** A stream that has sent so much goes on over the bulk lane, if there is one. */
  readonly bulkAfterBytes: number;
  /** Connections of one link: 1, or 2 with a lane for bulk. */
  readonly lanes: number;
  /** Bounds of the credit given out over all streams that we open on a link, and over all that the peer opens. */
  readonly linkCreditBytes: number;
  readonly peerCreditBytes: number;
  /** Streams that the peer may have open at once. */
  readonly streams: number;
  /** The largest head, as JSON, that we take and send. */
  readonly headBytes: number;
  /**
   * Frames a second that carry nothing for anybody, such as pings, settings, opens and credit by the byte. Twenty
   * seconds' worth may come at once; a peer that goes on loses the link.
   */
  readonly chatterPerSecond: number;
  readonly pingMs: number;
  /** The peer is dead after this much silence. */
  readonly deadMs: number;
  /** The time that a link without a connection waits for the next one. */
  readonly resumeMs: number;
  /** Data stays in our queues while the peer hasn't acknowledged this much: what a link may cost while it is cut. */
  readonly retainedBytes: number;
  /** Data stays in our queues, where it is scheduled fairly, while the socket holds more than this. */
  readonly socketHighWaterBytes: number;
}

export const defaultLinkLimits: LinkLimits = {
  frameBytes: 65_536,
  windowBytes: 262_144,
  maxWindowBytes: 16_777_216,
  bulkAfterBytes: 1_048_576,
  lanes: 2,
  linkCreditBytes: 67_108_864,
  peerCreditBytes: 67_108_864,
  streams: 10_000,
  headBytes: maxWholeHeadBytes,
  chatterPerSecond: Number.POSITIVE_INFINITY,
  pingMs: 10_000,
  deadMs: 25_000,
  resumeMs: 30_000,
  retainedBytes: 33_554_432,
  socketHighWaterBytes: 65_536,
};
