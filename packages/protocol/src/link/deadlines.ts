import type { Clock } from "@fairlead/kernel";
import { streamReset } from "./reset-errors.ts";
import type { MuxStream } from "./stream.ts";
import { Ticker } from "./ticker.ts";
import { resetCodes } from "./types.ts";

/**
 * Ends streams whose HEAD didn't come in time. One coarse timer per link, and only while some stream waits: a deadline is
 * met up to a quarter of a second late. Time passes here at most twice as fast as the timer was asked to, so neither a
 * stopped process nor a set clock makes every stream late at once.
 */
export class Deadlines {
  readonly #clock: Clock;
  readonly #streams: ReadonlyMap<number, MuxStream>;
  readonly #ticker: Ticker;
  #linkMs = 0;
  #lastTickAt = 0;
  #waiting = 0;

  constructor(clock: Clock, streams: ReadonlyMap<number, MuxStream>) {
    this.#clock = clock;
    this.#streams = streams;
    this.#ticker = new Ticker(clock, tickMs, () => this.#tick());
  }

  watch(stream: MuxStream): void {
    this.#waiting++;
    if (!this.#ticker.isRunning) {
      this.#lastTickAt = this.#clock.now();
      this.#ticker.start();
    }
    stream.deadlineAt = this.#linkMs + stream.open.deadlineMs;
  }

  /** The stream was answered, or is over without an answer. */
  unwatch(): void {
    this.#waiting--;
  }

  stop(): void {
    this.#ticker.stop();
  }

  #tick(): void {
    const now = this.#clock.now();
    this.#linkMs += Math.min(Math.max(now - this.#lastTickAt, 0), tickMs * 2);
    this.#lastTickAt = now;
    if (this.#waiting === 0) {
      this.#ticker.stop();
      return;
    }
    for (const stream of this.#streams.values()) {
      if (stream.isWaiting() && stream.deadlineAt <= this.#linkMs) {
        stream.fail(resetCodes.deadline, streamReset(resetCodes.deadline), `after ${stream.open.deadlineMs} ms`);
      }
    }
  }
}

const tickMs = 250;
