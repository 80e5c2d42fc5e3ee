import type { Clock } from "@fairlead/kernel";
import type { GoAway } from "../wire/index.ts";

/** A departure lasts from our GOAWAY until the streams in flight are over, or their time is. Then the link is left. */
export class Departure {
  readonly message: GoAway;
  /** Resolves when the link is left. */
  readonly left: Promise<void>;
  readonly #clock: Clock;
  readonly #endsAt: number;
  readonly #isIdle: boolean;
  #drain!: () => void;

  constructor(options: {
    readonly message: GoAway;
    readonly clock: Clock;
    /** No stream is in flight. */
    readonly isIdle: boolean;
    /** Says the last words. */
    readonly leave: () => Promise<void>;
  }) {
    const { message, clock, isIdle, leave } = options;
    this.message = message;
    this.#isIdle = isIdle;
    this.#clock = clock;
    this.#endsAt = clock.steadyMs() + message.drainMs;
    const drained = new Promise<void>((resolve) => {
      const cancel = clock.after(message.drainMs, resolve);
      this.#drain = () => {
        cancel();
        resolve();
      };
    });
    this.left = drained.then(leave);
    if (isIdle) this.drain();
  }

  /** The time that the last words may wait for a connection. Nobody has to bring our goodbye alone. */
  get cutMs(): number {
    return this.#isIdle ? 0 : this.#endsAt - this.#clock.steadyMs();
  }

  /** Called when nothing is in flight any more. */
  drain(): void {
    this.#drain();
  }
}
