import { setTimeout as delay } from "node:timers/promises";

/** Polls until the check holds. False when the time is over; an error of the check itself is not caught. */
export async function waitUntil(
  check: () => boolean | Promise<boolean>,
  options: { timeoutMs: number; intervalMs?: number; signal?: AbortSignal | undefined },
): Promise<boolean> {
  const { timeoutMs, intervalMs = 50, signal } = options;
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    signal?.throwIfAborted();
    if (await check()) return true;
    if (performance.now() >= deadline) return false;
    await delay(intervalMs, undefined, { signal });
  }
}
