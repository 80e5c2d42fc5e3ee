/** Moves the frames of a lane: a WebSocket in production, a pair of queues in tests. */
export interface Carrier {
  /**
   * Sends one frame. `head` up to `headBytes` is copied before the call returns (the caller reuses it); the chunks of
   * `payload`, `payloadBytes` in all, are kept by reference until they are on the network.
   */
  send(head: Uint8Array, headBytes: number, payload?: readonly Uint8Array[], payloadBytes?: number): void;
  /** Accepted by `send` and not yet taken by the network. */
  readonly bufferedBytes: number;
  /**
   * Asks for one `session.writable()`: when the running callback is done, or for bulk when the event loop has read all
   * that was there to read, so that many chunks leave in one write.
   */
  requestFlush(isBulk?: boolean): void;
  close(code: number, text: string): void;
  /** Gives up the connection without a word to the peer. */
  terminate(): void;
}

/** WebSocket close codes that we send. */
export const closeCodes = {
  normal: 1000,
  goingAway: 1001,
  violation: 4400,
  sessionUnknown: 4404,
  idleLane: 4409,
  deadPeer: 4408,
  noCommonVersion: 4426,
  tooManyLinks: 4429,
} as const;
