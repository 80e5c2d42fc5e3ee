// When to look again: when something was heard, and every few seconds, since what is heard are hints. What comes while one
// looks counts for the next look, and many hints at a time are one look.
import { type Clock, orAbort, sleep } from "@fairlead/kernel";

export interface Hints {
  hear(): void;
  /** Until there is reason to look. Rejects when the signal aborts. */
  wait(signal: AbortSignal): Promise<void>;
}

export function createHints(options: {
  readonly clock: Clock;
  readonly everyMs: number;
  /** From something that was heard to the look. */
  readonly gatherMs: number;
}): Hints {
  const { clock, everyMs, gatherMs } = options;
  let heard = Promise.withResolvers<void>();
  return {
    hear: () => heard.resolve(),
    async wait(signal) {
      const idle = new AbortController();
      const look = sleep(everyMs, { clock, signal: idle.signal }).catch(() => undefined);
      try {
        await orAbort(Promise.race([heard.promise, look]), signal);
      } finally {
        idle.abort();
      }
      if (gatherMs > 0) await sleep(gatherMs, { clock, signal });
      heard = Promise.withResolvers();
    },
  };
}
