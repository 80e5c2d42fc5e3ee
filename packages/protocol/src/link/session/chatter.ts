// A peer can keep us busy with frames that move no stream: they cost it nothing, and no credit bounds them. An agent of
// ours sends a few a minute.
import type { Clock } from "@fairlead/kernel";
import type { Frame } from "../wire/index.ts";
import { sessionErrors } from "./errors.ts";

export class Chatter {
  readonly #clock: Clock;
  readonly #perSecond: number;
  #left: number;
  #filledAt: number;

  constructor(options: { readonly clock: Clock; readonly perSecond: number }) {
    this.#clock = options.clock;
    this.#perSecond = options.perSecond;
    this.#left = options.perSecond * burstSeconds;
    this.#filledAt = options.clock.steadyMs();
  }

  /** Throws when there was too much of it. */
  count(): void {
    if (--this.#left >= 0) return;
    const now = this.#clock.steadyMs();
    // A clock that was set back fills nothing, and doesn't empty anything either.
    const passedMs = Math.max(0, now - this.#filledAt);
    this.#filledAt = now;
    this.#left = Math.min(this.#perSecond * burstSeconds, this.#left + 1 + (passedMs * this.#perSecond) / 1_000) - 1;
    if (this.#left < 0) throw sessionErrors.LINK_FLOODED({ perSecond: this.#perSecond });
  }
}

/** True when the frame carries nothing for anybody. */
export function isChatter(frame: Frame): boolean {
  switch (frame.kind) {
    case "ping":
    case "pong":
    case "settings":
    case "go-away":
    case "open":
    case "malformed-open":
    case "ignored":
      return true;
    case "window":
      return frame.addBytes < leastWindowBytes;
    case "data":
      return frame.bytes.byteLength === 0 && !frame.fin;
    case "ack":
    case "head":
    case "part":
    case "end":
    case "reset":
    case "malformed":
      return false;
  }
}

const burstSeconds = 20;
/** Receivers give credit back by the kilobyte. */
const leastWindowBytes = 1_024;
