// Decides when a request whose stream ended before its answer is sent again. A reading request always is: it did
// nothing, or nothing that a second reading could change. Any other is when the far side says that it was leaving and
// has begun nothing.
import { type Clock, systemClock } from "@fairlead/kernel";
import { type ResetCode, resetCodes } from "@fairlead/protocol";

/** The kind of a request, known before it is sent. An uploading one's body is gone with its first stream. */
export type RequestKind = "reading" | "changing" | "uploading";

export interface Resending {
  /** How long to wait before it is sent again; undefined when it isn't. */
  next(code: ResetCode): number | undefined;
}

export function createResending(options: {
  readonly kind: RequestKind;
  /** How long it is sent again while whoever it comes to is leaving. */
  readonly patienceMs: number;
  readonly clock?: Clock;
}): Resending {
  const { kind, patienceMs, clock = systemClock } = options;
  let lost = 0;
  let refused = 0;
  let turnedAway = 0;
  let untilMs: number | undefined;
  return {
    next(code) {
      if (code === resetCodes.goingAway) return kind === "uploading" ? undefined : nextElsewhere();
      if (kind !== "reading") return undefined;
      if (code === resetCodes.refused) return waitsMs[refused++];
      return code === resetCodes.linkLost && lost++ === 0 ? 0 : undefined;
    },
  };

  /** Waits for the news that another hub has the link. It takes a moment, or seconds when the bus is down. */
  function nextElsewhere(): number | undefined {
    const now = clock.steadyMs();
    untilMs ??= now + patienceMs;
    const waitMs = waitsMs[turnedAway++] ?? longestWaitMs;
    return now + waitMs <= untilMs ? waitMs : undefined;
  }
}

/** Makes what an exchange or a splice calls when its stream ended before an answer. True: the request goes on. */
export function sendAgain(options: {
  readonly resending: Resending;
  readonly start: () => void;
  readonly isOver: () => boolean;
}): (code: ResetCode) => boolean {
  const { resending, start, isOver } = options;
  return (code) => {
    const waitMs = resending.next(code);
    if (waitMs === undefined) return false;
    if (waitMs === 0) start();
    else setTimeout(() => isOver() || start(), waitMs);
    return true;
  };
}

const waitsMs = [0, 100, 300, 600];
const longestWaitMs = 1_000;
