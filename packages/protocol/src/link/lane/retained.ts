/**
 * Frames that the peer hasn't acknowledged, in the order of their numbers, and how far the connection of today has got
 * with them. Heads are copied, as their writer uses its buffer again; payloads stay where they are.
 */
export class RetainedFrames {
  #frames: RetainedFrame[] = [];
  /** The index of the oldest one: acknowledged ones are cut off in batches. */
  #first = 0;
  /** The number of the oldest one, whether it is there yet or not. */
  #firstNumber = 1;
  #next = 0;
  sizeBytes = 0;

  /** The number of the newest frame, which is the count of all that were ever added. */
  get lastNumber(): number {
    return this.#firstNumber + this.#frames.length - this.#first - 1;
  }

  add(head: Uint8Array, headBytes: number, payload: readonly Uint8Array[] | undefined, payloadBytes: number): void {
    const copy = Buffer.allocUnsafe(headBytes);
    copy.set(headBytes === head.byteLength ? head : head.subarray(0, headBytes));
    this.#frames.push({ head: copy, payload, payloadBytes });
    this.sizeBytes += headBytes + payloadBytes + overheadBytes;
  }

  /** The next one that this connection hasn't carried. */
  takeUnsent(): RetainedFrame | undefined {
    return this.#next < this.#frames.length ? this.#frames[this.#next++] : undefined;
  }

  /** The newest went out in the moment in which it was added. */
  markSent(): void {
    this.#next++;
  }

  /** All up to and including this number have arrived. False for a number that was never used, or is given up. */
  acknowledge(number: number): boolean {
    if (number > this.lastNumber || number < this.#firstNumber - 1) return false;
    for (; this.#firstNumber <= number; this.#firstNumber++) {
      const frame = this.#frames[this.#first] as RetainedFrame;
      this.sizeBytes -= frame.head.byteLength + frame.payloadBytes + overheadBytes;
      this.#frames[this.#first++] = nothing;
    }
    this.#compact();
    return true;
  }

  /** A new connection begins with the oldest. */
  rewind(): void {
    this.#next = this.#first;
  }

  clear(): void {
    this.#firstNumber = this.lastNumber + 1;
    this.#frames = [];
    this.#first = 0;
    this.#next = 0;
    this.sizeBytes = 0;
  }

  #compact(): void {
    if (this.#first === this.#frames.length) {
      this.#next -= this.#first;
      this.#frames.length = 0;
      this.#first = 0;
    } else if (this.#first >= 256) {
      this.#next -= this.#first;
      this.#frames.splice(0, this.#first);
      this.#first = 0;
    }
  }
}

export interface RetainedFrame {
  readonly head: Uint8Array;
  readonly payload: readonly Uint8Array[] | undefined;
  readonly payloadBytes: number;
}

/** The cost of keeping a frame, beside its bytes. */
const overheadBytes = 128;
const nothing: RetainedFrame = { head: new Uint8Array(0), payload: undefined, payloadBytes: 0 };
