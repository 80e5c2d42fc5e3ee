import { baseWindowBytes, type CreditPool } from "./credit-pool.ts";
import type { WindowTuner } from "./window-tuner.ts";

/**
 * The credit of one stream's peer. All bytes of the window are in exactly one place: the peer may send them
 * (`creditBytes`), or they are here and unconsumed (`heldBytes`), or consumed and not yet given back (`returnBytes`).
 */
export class ReceiveWindow {
  readonly #pool: CreditPool;
  readonly #tuner: WindowTuner;
  windowBytes = 0;
  creditBytes = 0;
  heldBytes = 0;
  #returnBytes = 0;
  #headBytes = 0;

  constructor(pool: CreditPool, tuner: WindowTuner) {
    this.#pool = pool;
    this.#tuner = tuner;
  }

  /** False when not even the first window is left. */
  start(): boolean {
    if (!this.#pool.takeBase()) return false;
    this.windowBytes = baseWindowBytes;
    this.creditBytes = baseWindowBytes;
    return true;
  }

  /** The stream keeps a large head of the peer for as long as it lives. False when there is no room for that. */
  holdHead(sizeBytes: number): boolean {
    if (sizeBytes === 0) return true;
    if (!this.#pool.takeHead(sizeBytes)) return false;
    this.#headBytes += sizeBytes;
    return true;
  }

  /** Towards the target, as far as the pool lets it. Returns what the peer must be told. */
  grow(): number {
    const wanted = this.#tuner.targetBytes - this.windowBytes;
    if (wanted <= 0) return 0;
    const extra = this.#pool.takeExtra(wanted);
    this.windowBytes += extra;
    this.creditBytes += extra;
    return extra;
  }

  /** False when the peer sent what it may not. */
  receive(sizeBytes: number): boolean {
    if (sizeBytes > this.creditBytes) return false;
    this.creditBytes -= sizeBytes;
    this.heldBytes += sizeBytes;
    return true;
  }

  /** True when half of a window that is still the first one is used up. It should grow before anything is consumed. */
  isFirstHalfUsed(): boolean {
    return this.windowBytes <= baseWindowBytes && this.creditBytes < baseWindowBytes / 2;
  }

  /** Returns the credit to give back now: 0 until a good part of the window has come together, so that it costs few frames. */
  consume(sizeBytes: number): number {
    const consumed = Math.min(sizeBytes, this.heldBytes);
    this.heldBytes -= consumed;
    this.#returnBytes += consumed;
    if (this.#returnBytes < leastReturnBytes(this.windowBytes)) return 0;
    this.#tuner.consumed(this.#returnBytes);
    if (this.#pool.isScarce()) this.#shrink(this.#returnBytes >> 1, baseWindowBytes);
    else if (this.#tuner.targetBytes < this.windowBytes / 2) this.#shrink(this.#returnBytes, this.#tuner.targetBytes);
    else return this.#giveBack() + this.grow();
    return this.#giveBack();
  }

  release(): void {
    this.#pool.give(this.windowBytes + this.#headBytes);
    this.#headBytes = 0;
    this.windowBytes = 0;
    this.creditBytes = 0;
    this.heldBytes = 0;
    this.#returnBytes = 0;
  }

  #giveBack(): number {
    const returned = this.#returnBytes;
    this.#returnBytes = 0;
    this.creditBytes += returned;
    return returned;
  }

  /** Goes back to the pool instead of to the peer: who moves makes room for others. */
  #shrink(mostBytes: number, leastWindowBytes: number): void {
    const shrink = Math.min(mostBytes, this.windowBytes - leastWindowBytes);
    if (shrink <= 0) return;
    this.#returnBytes -= shrink;
    this.windowBytes -= shrink;
    this.#pool.give(shrink);
  }
}

/** Half of a small window, an eighth of a large one and never much: the sender could do with it meanwhile. */
function leastReturnBytes(windowBytes: number): number {
  if (windowBytes < largeBytes) return windowBytes / 2;
  return Math.min(Math.max(windowBytes / 8, largeBytes / 4), mostReturnBytes);
}

const largeBytes = 262_144;
const mostReturnBytes = 1_048_576;
