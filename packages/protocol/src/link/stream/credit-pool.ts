// A link's peer may send so much over all its streams. A quarter is kept for the small first window of every stream, so
// that none is ever left with nothing. The rest goes out in shares of the remainder, so that windows get smaller as it
// gets scarce instead of the last comer getting none.
import { type CreditBudget, spareOf } from "./credit-budget.ts";

/** Credit that the opener of a stream with a body starts with, before any WINDOW. Part of the protocol. */
export const baseWindowBytes = 16_384;

export class CreditPool {
  readonly #totalBytes: number;
  readonly #budget: CreditBudget | undefined;
  usedBytes = 0;

  constructor(totalBytes: number, budget: CreditBudget | undefined) {
    this.#totalBytes = totalBytes;
    this.#budget = budget;
  }

  /** The first window of a stream: all or nothing. */
  takeBase(): boolean {
    if (this.usedBytes + baseWindowBytes > this.#totalBytes) return false;
    if (this.#budget !== undefined) {
      const taken = this.#budget.take(baseWindowBytes);
      if (taken < baseWindowBytes) {
        this.#budget.give(taken);
        return false;
      }
    }
    this.usedBytes += baseWindowBytes;
    return true;
  }

  /** More for a stream that could use it; 0 when it is scarce. */
  takeExtra(wantedBytes: number): number {
    let grant = Math.min(wantedBytes, this.#spareBytes());
    if (grant < minExtraBytes) return 0;
    if (this.#budget !== undefined) grant = this.#budget.take(grant);
    this.usedBytes += grant;
    return grant;
  }

  /** For a head that doesn't fit into one frame: all or nothing, and first windows of other streams come before it. */
  takeHead(sizeBytes: number): boolean {
    if (this.usedBytes + sizeBytes > this.#totalBytes * 0.75) return false;
    if (this.#budget !== undefined) {
      const taken = this.#budget.take(sizeBytes);
      if (taken < sizeBytes || this.#budget.spareBytes === 0) {
        this.#budget.give(taken);
        return false;
      }
    }
    this.usedBytes += sizeBytes;
    return true;
  }

  /** True when windows that were grown should shrink if they can. */
  isScarce(): boolean {
    return this.#spareBytes() < minExtraBytes;
  }

  give(sizeBytes: number): void {
    this.usedBytes -= sizeBytes;
    this.#budget?.give(sizeBytes);
  }

  #spareBytes(): number {
    const own = spareOf(this.#totalBytes, this.usedBytes);
    return this.#budget === undefined ? own : Math.min(own, this.#budget.spareBytes);
  }
}

const minExtraBytes = 4_096;
