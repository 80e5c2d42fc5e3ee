import type { Clock } from "@fairlead/kernel";

/** Resolves when a call of a listener finds it true, and when the time is over. */
export function untilTrue(options: {
  readonly isTrue: () => boolean;
  readonly listeners: { add(listener: () => void): unknown; delete(listener: () => void): unknown };
  readonly timeoutMs: number;
  readonly clock: Clock;
}): Promise<void> {
  const { isTrue, listeners, timeoutMs, clock } = options;
  if (isTrue()) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      listeners.delete(look);
      cancel();
      resolve();
    };
    const look = (): void => {
      if (isTrue()) end();
    };
    const cancel = clock.after(timeoutMs, end);
    listeners.add(look);
  });
}
