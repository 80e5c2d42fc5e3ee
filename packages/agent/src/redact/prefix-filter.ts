// Says of hashes whether they may have been added. It grows by larger parts, and forgets nothing.

export class PrefixFilter {
  #parts: Int32Array[] = [];
  #room = 0;

  add(hash: number): void {
    if (this.has(hash)) return;
    if (this.#room-- <= 0) this.#grow();
    const part = this.#parts[0] as Int32Array;
    const bit = spread(hash) & (part.length * 32 - 1);
    part[bit >>> 5] = (part[bit >>> 5] as number) | (1 << (bit & 31));
  }

  has(hash: number): boolean {
    const spreadHash = spread(hash);
    for (const part of this.#parts) {
      const bit = spreadHash & (part.length * 32 - 1);
      if (((part[bit >>> 5] as number) >>> (bit & 31)) & 1) return true;
    }
    return false;
  }

  #grow(): void {
    const bits = Math.min(mostBits, firstBits * 8 ** this.#parts.length);
    this.#parts.unshift(new Int32Array(bits / 32));
    this.#room = bits / bitsOfEach;
  }
}

function spread(hash: number): number {
  return Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) >>> 7;
}

const firstBits = 2 ** 16;
const mostBits = 2 ** 25;
const bitsOfEach = 16;
