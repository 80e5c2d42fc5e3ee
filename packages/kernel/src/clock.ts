import { orAbort } from "./abort.ts";

/** Time as the rest of the code sees it, so that tests can move it. */
export interface Clock {
  /** Milliseconds since the epoch, for what is shown, recorded or compared with a certificate. Anybody may set it. */
  now(): number;
  /** Milliseconds that pass evenly, for waits and leases. Their beginning means nothing outside of this process. */
  steadyMs(): number;
  /** Calls back once; the timer never keeps the process alive. Returns the way to cancel it. */
  after(delayMs: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  steadyMs: () => performance.now(),
  after(delayMs, callback) {
    // Node fires at once when a delay is over 2^31-1: long waits go in hops.
    let timer = setTimeout(fire, Math.min(delayMs, maxTimeoutMs));
    let leftMs = delayMs - maxTimeoutMs;
    timer.unref();
    return () => clearTimeout(timer);

    function fire(): void {
      if (leftMs <= 0) {
        callback();
        return;
      }
      timer = setTimeout(fire, Math.min(leftMs, maxTimeoutMs));
      leftMs -= maxTimeoutMs;
      timer.unref();
    }
  },
};

/** Resolves after the delay, or rejects with the signal's reason as soon as it aborts. */
export function sleep(delayMs: number, options: { clock?: Clock; signal?: AbortSignal } = {}): Promise<void> {
  const { clock = systemClock, signal } = options;
  let cancel = (): void => undefined;
  const over = new Promise<void>((resolve) => {
    if (!signal?.aborted) cancel = clock.after(delayMs, resolve);
  });
  return signal ? orAbort(over, signal).finally(cancel) : over;
}

const maxTimeoutMs = 2 ** 31 - 1;
