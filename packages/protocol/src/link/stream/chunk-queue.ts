/** Bytes waiting to be sent, first in first out, never copied: what leaves together is a list of what came in. */
export class ChunkQueue {
  #chunks: Uint8Array[] = [];
  #first = 0;
  sizeBytes = 0;

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.sizeBytes += chunk.byteLength;
  }

  /** `maxBytes` from the front, or all there is; only called when there is something and `maxBytes` is over 0. */
  take(maxBytes: number): Uint8Array[] {
    if (this.sizeBytes <= maxBytes) {
      const all = this.#first === 0 ? this.#chunks : this.#chunks.slice(this.#first);
      this.clear();
      return all;
    }
    const taken: Uint8Array[] = [];
    let leftBytes = maxBytes;
    while (leftBytes > 0) {
      const chunk = this.#chunks[this.#first] as Uint8Array;
      if (chunk.byteLength > leftBytes) {
        this.#chunks[this.#first] = chunk.subarray(leftBytes);
        taken.push(chunk.subarray(0, leftBytes));
        break;
      }
      taken.push(chunk);
      leftBytes -= chunk.byteLength;
      // A hole, so that the queue doesn't keep sent bytes alive.
      this.#chunks[this.#first++] = nothing;
    }
    this.sizeBytes -= maxBytes;
    if (this.#first >= 64) {
      this.#chunks = this.#chunks.slice(this.#first);
      this.#first = 0;
    }
    return taken;
  }

  clear(): void {
    this.#chunks = [];
    this.#first = 0;
    this.sizeBytes = 0;
  }
}

const nothing: Uint8Array = new Uint8Array(0);
