import { setTimeout as delay } from "node:timers/promises";

interface WaitOptions {
  readonly timeoutMs: number;
  readonly intervalMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Polls until the check holds. False when the time is over; an error of the check itself is not caught. */
export async function waitUntil(check: () => boolean | Promise<boolean>, options: WaitOptions): Promise<boolean> {
  const { timeoutMs, intervalMs = 50, signal } = options;
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    signal?.throwIfAborted();
    if (await check()) return true;
    if (performance.now() >= deadline) return false;
    await delay(intervalMs, undefined, { signal });
  }
}

/** Polls until the check holds, and throws with `what` when it never does: after a minute, unless told. */
export async function until(
  check: () => boolean | Promise<boolean>,
  what: string,
  { timeoutMs = 60_000, intervalMs = 10, signal }: Partial<WaitOptions> = {},
): Promise<void> {
  if (await waitUntil(check, { timeoutMs, intervalMs, signal })) return;
  throw new Error(`waited ${timeoutMs / 1000} s in vain: ${what}`);
}
