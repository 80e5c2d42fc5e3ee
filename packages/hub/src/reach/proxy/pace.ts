// The limits slow a stream down: credit goes back later, and reading stops for a while.
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { LinkStream } from "@fairlead/protocol";

/** Gives credit back to the link, at once or when the limits allow it. */
export function giveBack(stream: LinkStream | undefined, sizeBytes: number, waitMs: number): void {
  if (waitMs <= 0) stream?.consumed(sizeBytes);
  else startTimer(waitMs, () => stream?.consumed(sizeBytes));
}

/** The reasons for not reading from a client at the moment. Reading goes on when none is left. */
export class Pauses {
  readonly #source: IncomingMessage | Socket;
  #isFull = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(source: IncomingMessage | Socket) {
    this.#source = source;
  }

  /** Reading stops until `resume`, as the link takes no more. */
  untilWritable(): void {
    this.#isFull = true;
    this.#source.pause();
  }

  forMs(waitMs: number): void {
    this.#source.pause();
    clearTimeout(this.#timer);
    this.#timer = startTimer(waitMs, () => {
      this.#timer = undefined;
      if (!this.#isFull) this.#source.resume();
    });
  }

  resume(): void {
    this.#isFull = false;
    if (this.#timer === undefined) this.#source.resume();
  }
}

/** Never keeps the process alive. Rounded, so that many of them share few of Node's lists. */
export function startTimer(delayMs: number, callback: () => void): NodeJS.Timeout {
  return setTimeout(callback, Math.ceil(delayMs / 10) * 10).unref();
}
