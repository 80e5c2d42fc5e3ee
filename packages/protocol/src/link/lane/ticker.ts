// The link's coarse timers: one for liveness, and one for deadlines that runs only while streams wait for their head.
// Both count the time they were asked to wait rather than what the clock says it was: a clock that is set, or a process
// that was stopped for a while, kills neither the link nor its streams.
import type { Clock } from "@fairlead/kernel";

/** Calls back every so often until stopped. */
export class Ticker {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #tick: (everyMs: number) => void;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, everyMs: number, tick: (everyMs: number) => void) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#tick = tick;
  }

  get isRunning(): boolean {
    return this.#cancel !== undefined;
  }

  start(): void {
    this.#cancel ??= this.#clock.after(this.#everyMs, () => {
      this.#cancel = undefined;
      this.start();
      this.#tick(this.#everyMs);
    });
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
