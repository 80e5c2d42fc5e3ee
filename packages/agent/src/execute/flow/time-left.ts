import type { Clock } from "@fairlead/kernel";

/**
 * What is left of a time that another agent may have begun, to be asked for once: from then on it passes by the steady
 * clock. A hub's clock that was set back between the two gives no more than the whole time.
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
