// Decides when to look again: when a hint was heard, and every few seconds, since hints may be lost. Hints that come
// during a look count for the next one, and many hints at a time are one look.
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
