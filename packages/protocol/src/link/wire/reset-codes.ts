/** The reasons for a reset of a stream. The numbers are the wire's (docs/PROTOCOL.md §6). */
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

/** Codes of newer peers mean nothing to us but that the stream is over. */
export function knownResetCode(code: number): ResetCode {
  return knownCodes.has(code) ? (code as ResetCode) : resetCodes.internal;
}

const knownCodes: ReadonlySet<number> = new Set(Object.values(resetCodes));
