/** Bytes waiting to be sent, first in first out. Small neighbours leave together, large ones as slices, uncopied. */
export class ChunkQueue {
  #chunks: Uint8Array[] = [];
  #first = 0;
  sizeBytes = 0;

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.sizeBytes += chunk.byteLength;
  }

  /** At most `maxBytes` from the front; only called when there is something and `maxBytes` is over 0. */
  take(maxBytes: number): Uint8Array {
    const chunk = this.#chunks[this.#first] as Uint8Array;
    if (chunk.byteLength > maxBytes) {
      this.#chunks[this.#first] = chunk.subarray(maxBytes);
      this.sizeBytes -= maxBytes;
      return chunk.subarray(0, maxBytes);
    }
    const joinable = this.#countJoinable(maxBytes);
    if (joinable < 2) {
      this.#drop(1, chunk.byteLength);
      return chunk;
    }
    const parts = this.#chunks.slice(this.#first, this.#first + joinable);
    const joined = Buffer.concat(parts);
    this.#drop(joinable, joined.byteLength);
    return joined;
  }

  clear(): void {
    this.#chunks = [];
    this.#first = 0;
    this.sizeBytes = 0;
  }

  #countJoinable(maxBytes: number): number {
    const limitBytes = Math.min(maxBytes, joinBytes);
    let count = 0;
    let total = 0;
    for (let at = this.#first; at < this.#chunks.length; at++) {
      total += (this.#chunks[at] as Uint8Array).byteLength;
      if (total > limitBytes) break;
      count++;
    }
    return count;
  }

  #drop(count: number, sizeBytes: number): void {
    this.sizeBytes -= sizeBytes;
    this.#first += count;
    if (this.#first < this.#chunks.length) {
      // Holes before the first chunk must not keep the sent bytes alive.
      for (let at = this.#first - count; at < this.#first; at++) this.#chunks[at] = nothing;
      if (this.#first < 64) return;
      this.#chunks = this.#chunks.slice(this.#first);
    } else {
      this.#chunks.length = 0;
    }
    this.#first = 0;
  }
}

const joinBytes = 16_384;
const nothing: Uint8Array = new Uint8Array(0);
