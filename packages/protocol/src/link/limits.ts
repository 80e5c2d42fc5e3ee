/** What one side of a link allows. The receiver's limits are told to the peer in SETTINGS. */
export interface LinkLimits {
  /** Largest payload of one frame that we send; what we accept is twice that, so that both ends may tune apart. */
  readonly frameBytes: number;
  /** Credit that a new stream's sender starts with. */
  readonly windowBytes: number;
  /** Bound of the credit given out over all streams of a link. */
  readonly linkCreditBytes: number;
  /** Streams that the peer may have open at once. */
  readonly streams: number;
  readonly pingMs: number;
  /** The peer is dead after this much silence. */
  readonly deadMs: number;
  /** Data stays in our queues, where it is scheduled fairly, while the socket holds more than this. */
  readonly socketHighWaterBytes: number;
}

export const defaultLinkLimits: LinkLimits = {
  frameBytes: 65_536,
  windowBytes: 1_048_576,
  linkCreditBytes: 67_108_864,
  streams: 10_000,
  pingMs: 10_000,
  deadMs: 25_000,
  socketHighWaterBytes: 65_536,
};
