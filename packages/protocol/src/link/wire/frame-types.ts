// The bytes that every frame begins with, and the bounds of the rest (docs/PROTOCOL.md §2).
export const frameTypes = {
  settings: 1,
  open: 2,
  head: 3,
  data: 4,
  end: 5,
  trailers: 6,
  reset: 7,
  window: 8,
  ping: 9,
  pong: 10,
  goAway: 11,
  ack: 12,
  /** It counts as the first frame of a connection only; later it means nothing. */
  resume: 13,
  /** A piece of the JSON of an OPEN or HEAD that is too large for one frame. */
  part: 14,
} as const;

export const frameFlags = {
  /** The sender's direction ends with this frame, which is an OPEN, HEAD or DATA. */
  fin: 1,
} as const;

export const headerBytes = 8;
/** DATA has the stream's byte offset (u64) behind the header. */
export const dataHeaderBytes = 16;
export const maxDataBytes = 65_536;
/** Bound for the JSON of OPEN, HEAD and TRAILERS in one frame. */
export const maxHeadBytes = 196_608;
/** Parts smaller than this would cost more than they carry. */
export const minPartBytes = 16_384;
export const maxPartBytes = 65_536;
/** Bound for the JSON of an OPEN or HEAD in parts: 1 MiB of HTTP lines and what JSON adds to them. */
export const maxWholeHeadBytes = 1_572_864;
/** Bound for a whole frame, and for a WebSocket message. */
export const maxFrameBytes = 262_144;
/** Longest text that travels with a reset. */
export const maxTextBytes = 1024;
