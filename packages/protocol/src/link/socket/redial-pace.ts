import type { Clock } from "@fairlead/kernel";

/**
 * How fast one link redials. A connection that is lost again right away counts as one more that didn't come about; a
 * path on which none lives would otherwise be dialled without a pause.
 */
export class RedialPace {
  readonly #clock: Clock;
  readonly #last = new Map<number, { readonly attempt: number; readonly at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  nextAttempt(lane: number): number {
    const last = this.#last.get(lane);
    return last === undefined || this.#clock.steadyMs() - last.at > steadyMs ? 0 : last.attempt + 1;
  }

  resumed(lane: number, attempt: number): void {
    this.#last.set(lane, { attempt, at: this.#clock.steadyMs() });
  }
}

const steadyMs = 5_000;
