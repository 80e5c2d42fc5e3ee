// Work beside requests that is done again and again: runs never overlap, and one that fails isn't the last.
import type { Clock } from "./clock.ts";

export interface RepeatOptions {
  readonly clock: Clock;
  /** From the end of one run to the next one's begin. */
  readonly intervalMs: number;
  /** Until the first run; the interval unless told. */
  readonly firstMs?: number;
  /** The signal aborts when there is to be no more of it. */
  readonly run: (signal: AbortSignal) => void | Promise<void>;
  /** For failures of a run. A run that gave up because of its signal hasn't failed. */
  readonly onError: (error: unknown) => void;
}

/** Disposed of at once it lets a run that is under way come to its end by itself; asynchronously it waits for that. */
export interface Repetition extends Disposable, AsyncDisposable {
  /** Resolves when the run that is under way is over, if there is one. */
  settled(): Promise<void>;
}

export function repeat(options: RepeatOptions): Repetition {
  const { clock, intervalMs, firstMs = intervalMs, run, onError } = options;
  const stop = new AbortController();
  const { signal } = stop;
  let running: Promise<void> | undefined;
  let cancel = clock.after(firstMs, begin);
  return {
    settled: async () => await running,
    [Symbol.dispose]: end,
    async [Symbol.asyncDispose]() {
      end();
      await running;
    },
  };

  function begin(): void {
    try {
      const work = run(signal);
      if (work instanceof Promise) running = work.catch(fail).then(next);
      else next();
    } catch (error) {
      fail(error);
      next();
    }
  }

  function next(): void {
    running = undefined;
    if (!signal.aborted) cancel = clock.after(intervalMs, begin);
  }

  function fail(error: unknown): void {
    if (!signal.aborted || error !== signal.reason) onError(error);
  }

  function end(): void {
    stop.abort();
    cancel();
  }
}
