import { baseWindowBytes, type CreditPool } from "./credit-pool.ts";

/**
 * What one stream's peer may send us. All bytes of the window are in exactly one place: the peer may send them
 * (`creditBytes`), or they are here and unconsumed (`heldBytes`), or consumed and not yet given back (`returnBytes`).
 */
export class ReceiveWindow {
  readonly #pool: CreditPool;
  readonly #targetBytes: number;
  windowBytes = 0;
  creditBytes = 0;
  heldBytes = 0;
  #returnBytes = 0;

  constructor(pool: CreditPool, targetBytes: number) {
    this.#pool = pool;
    this.#targetBytes = targetBytes;
  }

  /** False when not even the first window is left. */
  start(): boolean {
    if (!this.#pool.takeBase()) return false;
    this.windowBytes = baseWindowBytes;
    this.creditBytes = baseWindowBytes;
    return true;
  }

  /** Towards the target, as far as the pool lets it. Returns what the peer must be told. */
  grow(): number {
    const wanted = this.#targetBytes - this.windowBytes;
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

  /** Whether the peer used up half of a window that is still the first one: worth growing before anything is consumed. */
  isFirstHalfUsed(): boolean {
    return this.windowBytes <= baseWindowBytes && this.creditBytes < baseWindowBytes / 2;
  }

  /** Returns the credit to give back now: 0 until half a window has come together, so that it costs few frames. */
  consume(sizeBytes: number): number {
    const consumed = Math.min(sizeBytes, this.heldBytes);
    this.heldBytes -= consumed;
    this.#returnBytes += consumed;
    if (this.#returnBytes < this.windowBytes / 2) return 0;
    return this.#pool.isScarce() ? this.#giveBackLess() : this.#giveBack() + this.grow();
  }

  release(): void {
    this.#pool.give(this.windowBytes);
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

  /** Half of what could be returned goes back to the pool, down to the first window: who moves makes room for others. */
  #giveBackLess(): number {
    const shrink = Math.min(this.#returnBytes >> 1, this.windowBytes - baseWindowBytes);
    if (shrink > 0) {
      this.#returnBytes -= shrink;
      this.windowBytes -= shrink;
      this.#pool.give(shrink);
    }
    return this.#giveBack();
  }
}
