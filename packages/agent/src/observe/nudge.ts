import { type Clock, onAbort } from "@fairlead/kernel";

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
  async wait(delayMs: number, signal: AbortSignal): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<void>();
    using _listening = onAbort(signal, () => resolve());
    const cancel = this.#clock.after(delayMs, resolve);
    this.#wake = resolve;
    if (this.#isDue) resolve();
    await promise;
    cancel();
    this.#wake = undefined;
    const isDue = this.#isDue;
    this.#isDue = false;
    return isDue;
  }
}
