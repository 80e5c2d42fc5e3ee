// Finds many needles at once in a stream of bytes (Aho-Corasick), at a cost that doesn't depend on their number. Since
// most bytes begin no needle, four at a time are looked up in a bitmap first, and the automaton only takes over there.

/** All needles are at least this long. */
export const windowBytes = 4;

export class Automaton {
  readonly #firstChild: Int32Array;
  readonly #nextSibling: Int32Array;
  readonly #byte: Uint8Array;
  readonly #shorter: Int32Array;
  readonly #depth: Int32Array;
  readonly #longest: Int32Array;
  readonly #isHint: Uint8Array;
  readonly #root = new Int32Array(256);
  readonly #bitmap: Int32Array;
  readonly #shift: number;
  #states = 1;

  /** Texts have one character a byte. Hints are found as needles are, and only noted: they cover nothing. */
  constructor(needles: ReadonlySet<string>, hints: ReadonlySet<string> = new Set()) {
    let most = 1;
    for (const { length } of needles) most += length;
    for (const { length } of hints) most += length;
    this.#firstChild = new Int32Array(most);
    this.#nextSibling = new Int32Array(most);
    this.#byte = new Uint8Array(most);
    this.#shorter = new Int32Array(most);
    this.#depth = new Int32Array(most);
    this.#longest = new Int32Array(most);
    this.#isHint = new Uint8Array(most);
    const bits = Math.min(22, Math.max(15, Math.ceil(Math.log2((needles.size + hints.size) * 256))));
    this.#bitmap = new Int32Array(2 ** (bits - 5));
    this.#shift = 32 - bits;
    for (const needle of needles) this.#longest[this.#add(needle)] = needle.length;
    for (const hint of hints) this.#isHint[this.#add(hint)] = 1;
    this.#link();
  }

  /** How many of the last bytes may be the beginning of a needle. */
  depthOf(state: number): number {
    return this.#depth[state] ?? 0;
  }

  /** The length of the longest needle that ends here; 0 for none. */
  longestAt(state: number): number {
    return this.#longest[state] ?? 0;
  }

  /** A hint ends here. */
  isHintAt(state: number): boolean {
    return this.#isHint[state] === 1;
  }

  /** 0 is the beginning. */
  step(state: number, byte: number): number {
    for (let from = state; from !== 0; from = this.#shorter[from] ?? 0) {
      const child = this.#childOf(from, byte);
      if (child !== 0) return child;
    }
    return this.#root[byte] ?? 0;
  }

  /**
   * The first place from `start` on where a needle may begin; where the last bytes are too few to say, the first of them.
   */
  skip(bytes: Uint8Array, start: number): number {
    const last = bytes.length - windowBytes;
    if (start > last) return start;
    const bitmap = this.#bitmap;
    const shift = this.#shift;
    let window = ((bytes[start] as number) << 16) | ((bytes[start + 1] as number) << 8) | (bytes[start + 2] as number);
    for (let at = start; at <= last; at++) {
      window = (window << 8) | (bytes[at + 3] as number);
      const hash = Math.imul(window, multiplier) >>> shift;
      if (((bitmap[hash >>> 5] as number) >>> (hash & 31)) & 1) return at;
    }
    return last + 1;
  }

  /** Returns its last state. */
  #add(needle: string): number {
    let state = 0;
    for (let at = 0; at < needle.length; at++) {
      const byte = needle.charCodeAt(at);
      const child = state === 0 ? (this.#root[byte] ?? 0) : this.#childOf(state, byte);
      state = child === 0 ? this.#grow(state, byte) : child;
    }
    let window = 0;
    for (let at = 0; at < windowBytes; at++) window = (window << 8) | needle.charCodeAt(at);
    const hash = Math.imul(window, multiplier) >>> this.#shift;
    this.#bitmap[hash >>> 5] = (this.#bitmap[hash >>> 5] ?? 0) | (1 << (hash & 31));
    return state;
  }

  #grow(state: number, byte: number): number {
    const child = this.#states++;
    this.#byte[child] = byte;
    this.#depth[child] = (this.#depth[state] ?? 0) + 1;
    if (state === 0) this.#root[byte] = child;
    this.#nextSibling[child] = this.#firstChild[state] ?? 0;
    this.#firstChild[state] = child;
    return child;
  }

  /** Gives each state the one of its longest end that begins a needle, and the needles that end there. */
  #link(): void {
    const queue = new Int32Array(this.#states);
    let queued = 1;
    for (let taken = 0; taken < queued; taken++) {
      const state = queue[taken] ?? 0;
      for (let child = this.#firstChild[state] ?? 0; child !== 0; child = this.#nextSibling[child] ?? 0) {
        const shorter = state === 0 ? 0 : this.step(this.#shorter[state] ?? 0, this.#byte[child] ?? 0);
        this.#shorter[child] = shorter;
        if (this.#longest[child] === 0) this.#longest[child] = this.#longest[shorter] ?? 0;
        if (this.#isHint[shorter] === 1) this.#isHint[child] = 1;
        queue[queued++] = child;
      }
    }
  }

  #childOf(state: number, byte: number): number {
    let child = this.#firstChild[state] ?? 0;
    while (child !== 0 && this.#byte[child] !== byte) child = this.#nextSibling[child] ?? 0;
    return child;
  }
}

/** Odd, its bits well mixed (the golden ratio). */
const multiplier = 0x9e3779b1;
