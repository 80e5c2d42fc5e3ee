import type { Clock } from "@fairlead/kernel";

/**
 * Time that never passes too slowly: a process that was stopped sees it by the monotonic clock, one whose machine slept by
 * the other, which somebody may set back. Starts from 0.
 */
export function createPassingTime(options: {
  readonly clock: Clock;
  readonly monotonicMs: () => number;
}): () => number {
  const { clock, monotonicMs } = options;
  let passedMs = 0;
  let last = { wallMs: clock.now(), monotonicMs: monotonicMs() };
  return () => {
    const current = { wallMs: clock.now(), monotonicMs: monotonicMs() };
    passedMs += Math.max(0, current.wallMs - last.wallMs, current.monotonicMs - last.monotonicMs);
    last = current;
    return passedMs;
  };
}
