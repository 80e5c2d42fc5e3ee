import type { Clock } from "@fairlead/kernel";
import { Ticker } from "../lane/index.ts";
import { type MuxStream, streamReset } from "../stream/index.ts";
import { resetCodes } from "../wire/index.ts";

/**
 * Ends streams whose HEAD didn't come in time, and those that were given a time to end in. There is one coarse timer
 * per link, and only while some stream has such a time: it is met up to a quarter of a second late. Time passes here at
 * most twice as fast as the timer was asked to, so neither a stopped process nor a set clock makes every stream late at
 * once.
 */
export class Deadlines {
  readonly #clock: Clock;
  readonly #streams: ReadonlyMap<number, MuxStream>;
  readonly #ticker: Ticker;
  #linkMs = 0;
  #lastTickAt = 0;

  constructor(clock: Clock, streams: ReadonlyMap<number, MuxStream>) {
    this.#clock = clock;
    this.#streams = streams;
    this.#ticker = new Ticker(clock, tickMs, () => this.#tick());
  }

  watch(stream: MuxStream): void {
    this.#start();
    stream.deadlineAt = this.#linkMs + stream.open.deadlineMs;
  }

  /** Undefined: the stream may go on for as long as it likes. */
  endWithin(stream: MuxStream, ms: number | undefined): void {
    if (ms !== undefined) this.#start();
    stream.endAt = ms === undefined ? Number.POSITIVE_INFINITY : this.#linkMs + ms;
  }

  stop(): void {
    this.#ticker.stop();
  }

  #start(): void {
    if (this.#ticker.isRunning) return;
    this.#lastTickAt = this.#clock.steadyMs();
    this.#ticker.start();
  }

  #tick(): void {
    const now = this.#clock.steadyMs();
    this.#linkMs += Math.min(Math.max(now - this.#lastTickAt, 0), tickMs * 2);
    this.#lastTickAt = now;
    let timed = 0;
    for (const stream of this.#streams.values()) {
      const { isUnanswered } = stream;
      if (!isUnanswered && stream.endAt === Number.POSITIVE_INFINITY) continue;
      timed++;
      if (isUnanswered && stream.deadlineAt <= this.#linkMs) fail(stream, `after ${stream.open.deadlineMs} ms`);
      else if (stream.endAt <= this.#linkMs) fail(stream, "the rest took too long");
    }
    if (timed === 0) this.#ticker.stop();
  }
}

function fail(stream: MuxStream, text: string): void {
  stream.fail(resetCodes.deadline, streamReset(resetCodes.deadline), text);
}

const tickMs = 250;
