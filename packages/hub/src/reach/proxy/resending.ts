// When a request whose stream ended before its answer is sent again. Only what reads is: it did nothing, or nothing that
// a second reading could change.
import { type ResetCode, resetCodes } from "@fairlead/protocol";

export interface Resending {
  /** How long to wait before it is sent again; undefined when it isn't. */
  next(code: ResetCode): number | undefined;
}

export function createResending({ isReading }: { readonly isReading: boolean }): Resending {
  let lost = 0;
  let turnedAway = 0;
  return {
    next(code) {
      if (!isReading) return undefined;
      if (code === resetCodes.linkLost) return lost++ === 0 ? 0 : undefined;
      if (code !== resetCodes.goingAway && code !== resetCodes.refused) return undefined;
      // A hub or an agent that leaves has begun nothing. That another one has the link is heard of within a moment.
      return waitsMs[turnedAway++];
    },
  };
}

const waitsMs = [0, 100, 300, 600];
