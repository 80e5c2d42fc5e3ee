// What time it is at the hub. It is counted from what the hub said last by a clock that nobody sets, so that setting this
// machine's clock changes nothing. The hub says its time with each ping, so that setting its clock is noticed, too.
import type { Clock } from "@fairlead/kernel";

export interface HubClock {
  /** The hub's time, in milliseconds since the epoch. */
  readonly nowMs: number;
  /** The hub's clock minus ours, at this moment. */
  readonly skewMs: number;
  /** With the answer to Hello, to the millisecond. */
  welcomed(skewMs: number): void;
  /** With a ping, to the second. */
  pinged(hubMs: number): void;
  /** When the hub says its time next, or after a while. */
  untilSaid(signal: AbortSignal): Promise<void>;
}

export function createHubClock(options: {
  readonly clock: Clock;
  /** The difference isn't the one any more that was said with Hello. */
  readonly onChanged: () => void;
}): HubClock {
  const { clock, onChanged } = options;
  /** The hub's time minus the steady clock's. */
  let aheadMs = clock.now() - clock.steadyMs();
  let toldMs: number | undefined;
  const waiting = new Set<() => void>();
  const skewMs = (): number => Math.round(aheadMs + clock.steadyMs() - clock.now());
  return {
    get nowMs() {
      return aheadMs + clock.steadyMs();
    },
    get skewMs() {
      return skewMs();
    },
    welcomed(saidMs) {
      toldMs = saidMs;
      aheadMs = saidMs + clock.now() - clock.steadyMs();
      tell();
    },
    pinged(hubMs) {
      const saidAheadMs = hubMs - clock.steadyMs();
      // A ping says the second, and may have been on its way for a while.
      if (Math.abs(saidAheadMs - aheadMs) > toleranceMs) aheadMs = saidAheadMs;
      tell();
      if (toldMs === undefined || Math.abs(skewMs() - toldMs) < worthTellingMs) return;
      toldMs = skewMs();
      onChanged();
    },
    async untilSaid(signal) {
      if (signal.aborted) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const cancel = clock.after(mostWaitMs, resolve);
      signal.addEventListener("abort", () => resolve(), { once: true });
      waiting.add(resolve);
      await promise;
      waiting.delete(resolve);
      cancel();
    },
  };

  function tell(): void {
    for (const resolve of waiting) resolve();
  }
}

const toleranceMs = 3_000;
const worthTellingMs = 30_000;
/** Longer than from one ping to the next. */
const mostWaitMs = 12_000;
