// Who sends next. Heads go first and at once; data goes frame by frame, round robin over the streams that have both data
// and credit, and only while the carrier holds less than the high water: what waits there can't be overtaken any more.
import type { Carrier } from "./carrier.ts";
import type { MuxStream } from "./stream.ts";

export class Scheduler {
  readonly #carrier: Carrier;
  readonly #highWaterBytes: number;
  #heads: MuxStream[] = [];
  #ring: MuxStream[] = [];
  #next = 0;

  constructor(carrier: Carrier, highWaterBytes: number) {
    this.#carrier = carrier;
    this.#highWaterBytes = highWaterBytes;
  }

  queueHead(stream: MuxStream): void {
    this.#heads.push(stream);
    this.#carrier.requestFlush();
  }

  queueData(stream: MuxStream): void {
    if (stream.outbound.isScheduled) return;
    stream.outbound.isScheduled = true;
    this.#ring.push(stream);
    this.#carrier.requestFlush(stream.outbound.queue.sizeBytes >= bulkBytes);
  }

  run(): void {
    this.#sendHeads();
    while (this.#next < this.#ring.length && this.#carrier.bufferedBytes < this.#highWaterBytes) {
      const stream = this.#ring[this.#next++] as MuxStream;
      stream.outbound.isScheduled = false;
      if (stream.scheduler !== this) {
        if (stream.canSend()) stream.scheduler.queueData(stream);
        continue;
      }
      if (stream.canSend()) stream.sendData();
      if (stream.canSend() && !stream.outbound.isScheduled) {
        if (stream.scheduler === this) {
          stream.outbound.isScheduled = true;
          this.#ring.push(stream);
        } else {
          stream.scheduler.queueData(stream);
        }
      }
      // A handler that was told it may write may also have opened or answered streams.
      if (this.#heads.length > 0) this.#sendHeads();
      if (this.#next >= 1024) this.#compact();
    }
    this.#compact();
  }

  clear(): void {
    this.#heads = [];
    this.#ring = [];
    this.#next = 0;
  }

  #sendHeads(): void {
    while (this.#heads.length > 0) {
      const heads = this.#heads;
      this.#heads = [];
      for (const stream of heads) stream.sendHead();
    }
  }

  #compact(): void {
    if (this.#next === 0) return;
    if (this.#next >= this.#ring.length) this.#ring.length = 0;
    else this.#ring.splice(0, this.#next);
    this.#next = 0;
  }
}

/** Chunks this large come in rows, one per TLS record, and are worth gathering into one frame. */
const bulkBytes = 8_192;
