// When to look at the counters: once in a while, sooner when somebody says so, and never twice at a time.
import { type Clock, orAbort } from "@fairlead/kernel";

/** Disposing doesn't wait for a look that is under way: a database that is silent would hold up the end of the hub. */
export interface Looks extends Disposable {
  /** Looks within the time; sooner looks that are due already stay. */
  within(delayMs: number): void;
  /** Resolves with the number of a look that began after the call and succeeded. */
  fresh(signal?: AbortSignal): Promise<number>;
}

export function createLooks(options: {
  readonly clock: Clock;
  /** From the begin of one to that of the next. */
  readonly everyMs: number;
  /** Takes the number of the look. Doesn't throw; false when it failed. */
  readonly look: (number: number) => Promise<boolean>;
}): Looks {
  const { clock, everyMs, look } = options;
  const waiters = new Set<{ readonly after: number; readonly resolve: (number: number) => void }>();
  let begun = 0;
  let isRunning = false;
  let timer: { readonly dueMs: number; readonly cancel: () => void } | undefined;
  let nextMs = everyMs;
  let isClosed = false;

  return {
    within,
    async fresh(signal) {
      const { promise, resolve } = Promise.withResolvers<number>();
      const waiter = { after: begun, resolve };
      waiters.add(waiter);
      within(0);
      return await (signal ? orAbort(promise, signal) : promise).finally(() => waiters.delete(waiter));
    },
    [Symbol.dispose]() {
      isClosed = true;
      timer?.cancel();
      for (const { resolve } of waiters) resolve(begun);
    },
  };

  function within(delayMs: number): void {
    if (isClosed) return;
    if (isRunning) {
      nextMs = Math.min(nextMs, delayMs);
      return;
    }
    const dueMs = clock.steadyMs() + delayMs;
    if (timer !== undefined && timer.dueMs <= dueMs) return;
    timer?.cancel();
    timer = undefined;
    if (delayMs <= 0) begin();
    else timer = { dueMs, cancel: clock.after(delayMs, begin) };
  }

  function begin(): void {
    timer = undefined;
    nextMs = everyMs;
    begun += 1;
    isRunning = true;
    void run(begun).finally(() => {
      isRunning = false;
      within(nextMs);
    });
  }

  async function run(number: number): Promise<void> {
    if (!(await look(number))) return;
    for (const { after, resolve } of waiters) if (number > after) resolve(number);
  }
}
