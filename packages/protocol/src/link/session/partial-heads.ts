// Keeps the parts of the head that the peer is sending until the rest of it comes, within the credit for its streams.
import type { CreditPool } from "../stream/index.ts";
import { headerBytes, headText, wireErrors } from "../wire/index.ts";
import { nextPartialHead, type PartialHead, type PartialHeadEvent } from "./partial-head-state.ts";

export type PartVerdict = "taken" | "ignored" | "too-large" | "no-credit";

export class PartialHeads {
  readonly #pool: CreditPool;
  readonly #mostBytes: number;
  #state: PartialHead = { is: "none" };
  /** The size of the head that was read last; 0 when it came in one frame. */
  wholeBytes = 0;

  constructor(options: { readonly pool: CreditPool; readonly mostBytes: number }) {
    this.#pool = options.pool;
    this.#mostBytes = options.mostBytes;
  }

  /** True when parts of this stream's head are here, or were refused. */
  knows(stream: number): boolean {
    return this.#state.is !== "none" && this.#state.stream === stream;
  }

  /** Throws when it interrupts another head. Whoever doesn't take the part calls `end` with `refused`. */
  take(stream: number, bytes: Uint8Array): PartVerdict {
    const next = this.#next({ type: "part", stream, bytes });
    if (next === this.#state || next.is !== "gathering") return "ignored";
    if (next.sizeBytes > this.#mostBytes) return "too-large";
    if (!this.#pool.takeHead(bytes.byteLength)) return "no-credit";
    this.#state = next;
    return "taken";
  }

  /** The JSON of the OPEN or HEAD in this message. Undefined when it was refused. */
  read(stream: number, message: Buffer): string | undefined {
    this.wholeBytes = 0;
    if (!this.knows(stream)) return headText(message);
    const before = this.end({ type: "rest-came", stream });
    if (before.is !== "gathering") return undefined;
    const whole = Buffer.concat([...before.parts, message.subarray(headerBytes)]);
    this.wholeBytes = whole.byteLength;
    return whole.toString();
  }

  /** Returns the state before. */
  end(event: Exclude<PartialHeadEvent, { type: "part" }>): PartialHead {
    const before = this.#state;
    this.#state = this.#next(event);
    if (before.is === "gathering" && this.#state !== before) this.#pool.give(before.sizeBytes);
    return before;
  }

  close(): void {
    if (this.#state.is === "gathering") this.end({ type: "ended", stream: this.#state.stream });
  }

  #next(event: PartialHeadEvent): PartialHead {
    const next = nextPartialHead(this.#state, event);
    if (next === "interrupted") throw wireErrors.LINK_FRAME_INVALID({ text: "a part among those of another head" });
    return next;
  }
}
