import type { Clock } from "@fairlead/kernel";

/** A wait that others can end. */
export class Nudge {
  readonly #clock: Clock;
  #isDue = false;
  #wake: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Ends the wait that goes on, or else the next one. */
  give(): void {
    this.#isDue = true;
    this.#wake?.();
  }

  /** True when nudged; false after the delay, or when the signal aborts. */
  wait(delayMs: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (): void => {
        cancel();
        signal.removeEventListener("abort", done);
        this.#wake = undefined;
        const isDue = this.#isDue;
        this.#isDue = false;
        resolve(isDue);
      };
      const cancel = this.#clock.after(delayMs, done);
      signal.addEventListener("abort", done, { once: true });
      this.#wake = done;
      if (this.#isDue || signal.aborted) done();
    });
  }
}
