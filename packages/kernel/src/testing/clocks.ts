import type { Clock } from "../clock.ts";

/** Stands still until it is moved. */
export interface MovableClock extends Clock {
  readonly pendingCount: number;
  /** Timers that become due run in order, each at its own time. Backwards, none does. */
  move(byMs: number): void;
  /** As for a process that was suspended: timers that became due run in order, all of them at the end. */
  jump(byMs: number): void;
  /** As when somebody sets the machine's clock: `now()` alone changes, and no timer runs. */
  set(byMs: number): void;
}

export function createMovableClock(startMs: number = 0): MovableClock {
  let nowMs = startMs;
  let aheadMs = 0;
  const timers = new Set<Timer>();
  return {
    now: () => nowMs + aheadMs,
    // Whoever takes one for the other is found out.
    steadyMs: () => nowMs - startMs,
    after(delayMs, callback) {
      const timer = { atMs: nowMs + delayMs, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    get pendingCount() {
      return timers.size;
    },
    move(byMs) {
      const endMs = nowMs + byMs;
      for (let next = takeDue(endMs); next; next = takeDue(endMs)) {
        nowMs = Math.max(nowMs, next.atMs);
        next.callback();
      }
      nowMs = endMs;
    },
    jump(byMs) {
      nowMs += byMs;
      for (let next = takeDue(nowMs); next; next = takeDue(nowMs)) next.callback();
    },
    set(byMs) {
      aheadMs += byMs;
    },
  };

  function takeDue(untilMs: number): Timer | undefined {
    const [next] = [...timers].filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs);
    if (next) timers.delete(next);
    return next;
  }
}

/** Runs through each wait at once. */
export interface SkippingClock extends Clock {
  /** How long each wait would have been, in milliseconds. */
  readonly waits: readonly number[];
}

/** A wait that `isHeld` names never ends, and isn't counted. */
export function createSkippingClock(
  options: { readonly startMs?: number; readonly isHeld?: (delayMs: number) => boolean } = {},
): SkippingClock {
  const { startMs = 0, isHeld } = options;
  let nowMs = startMs;
  const waits: number[] = [];
  return {
    waits,
    now: () => nowMs,
    steadyMs: () => nowMs - startMs,
    after(delayMs, callback) {
      if (isHeld?.(delayMs)) return () => undefined;
      waits.push(delayMs);
      const immediate = setImmediate(() => {
        nowMs += delayMs;
        callback();
      });
      return () => clearImmediate(immediate);
    },
  };
}

interface Timer {
  readonly atMs: number;
  readonly callback: () => void;
}
