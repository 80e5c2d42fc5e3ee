import type { Clock } from "@fairlead/kernel";

/** Something may happen so many times at once, and after that once in each interval. */
export class Pace {
  readonly #burst: number;
  readonly #everyMs: number;
  readonly #clock: Clock;
  #left: number;
  #filledAt: number;

  constructor(options: { readonly burst: number; readonly everyMs: number; readonly clock: Clock }) {
    this.#burst = options.burst;
    this.#everyMs = options.everyMs;
    this.#clock = options.clock;
    this.#left = options.burst;
    this.#filledAt = options.clock.steadyMs();
  }

  /** False when it is too early. */
  take(): boolean {
    const now = this.#clock.steadyMs();
    const passedMs = Math.max(0, now - this.#filledAt);
    this.#filledAt = now;
    this.#left = Math.min(this.#burst, this.#left + passedMs / this.#everyMs);
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}
