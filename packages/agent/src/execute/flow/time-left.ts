import type { Clock } from "@fairlead/kernel";

/**
 * Returns the rest of a timeout that a previous agent may have started. Ask once, then measure by the steady clock. The
 * rest is at most the whole timeout, also when the hub's clock was set back in between.
 */
export function timeLeftMs(options: {
  readonly clock: Pick<Clock, "now">;
  /** By the hub's clock. */
  readonly beganAtMs: number;
  readonly timeoutMs: number;
}): number {
  const { clock, beganAtMs, timeoutMs } = options;
  return Math.min(timeoutMs, Math.max(0, beganAtMs + timeoutMs - clock.now()));
}
