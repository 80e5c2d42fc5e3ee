// Decides which stream sends next on a lane. Heads of one frame go first and at once; larger ones and data go frame by
// frame, round robin over the streams that have both data and credit, and only while the carrier holds less than the high
// water: what waits there can't be overtaken any more.
import type { Carrier, FrameWriter } from "../wire/index.ts";

/** A stream, as far as its turns go. */
export interface Scheduled {
  /** The lane that its direction is on by now. */
  readonly way: Way;
  /** True in a scheduler's ring of streams that can send. */
  isScheduled: boolean;
  readonly queuedBytes: number;
  /** A head that doesn't fit into one frame waits to be sent, or its rest does. */
  readonly hasLargeHead: boolean;
  canSend(): boolean;
  /** Sends the head, or a frame of a large one. */
  sendHead(): void;
  /** Sends a single frame. */
  sendData(): void;
}

/** A lane, as a stream sees it. */
export interface Way {
  readonly writer: FrameWriter;
  readonly scheduler: Scheduler;
}

export class Scheduler {
  readonly #carrier: Pick<Carrier, "bufferedBytes" | "requestFlush">;
  readonly #highWaterBytes: number;
  #heads: Scheduled[] = [];
  /** The first one's head is being sent in parts; the peer takes one such head at a time. */
  #large: Scheduled[] = [];
  #ring: Scheduled[] = [];
  #next = 0;

  constructor(carrier: Pick<Carrier, "bufferedBytes" | "requestFlush">, highWaterBytes: number) {
    this.#carrier = carrier;
    this.#highWaterBytes = highWaterBytes;
  }

  queueHead(stream: Scheduled): void {
    (stream.hasLargeHead ? this.#large : this.#heads).push(stream);
    this.#carrier.requestFlush();
  }

  queueData(stream: Scheduled): void {
    if (stream.isScheduled) return;
    stream.isScheduled = true;
    this.#ring.push(stream);
    this.#carrier.requestFlush(stream.queuedBytes >= bulkBytes);
  }

  run(): void {
    this.#sendHeads();
    while (this.#carrier.bufferedBytes < this.#highWaterBytes) {
      this.#sendLargeHead();
      const stream = this.#ring[this.#next++];
      if (stream === undefined) {
        this.#next--;
        if (this.#large.length === 0) break;
        continue;
      }
      stream.isScheduled = false;
      this.#takeTurn(stream);
      // A handler that was told it may write may also have opened or answered streams.
      if (this.#heads.length > 0) this.#sendHeads();
      if (this.#next >= 1024) this.#compact();
    }
    this.#compact();
  }

  clear(): void {
    this.#heads = [];
    this.#large = [];
    this.#ring = [];
    this.#next = 0;
  }

  /** A stream that has moved to another lane, before its turn or in it, goes on there. */
  #takeTurn(stream: Scheduled): void {
    if (stream.way.scheduler === this && stream.canSend()) stream.sendData();
    if (!stream.canSend() || stream.isScheduled) return;
    if (stream.way.scheduler === this) {
      stream.isScheduled = true;
      this.#ring.push(stream);
    } else {
      stream.way.scheduler.queueData(stream);
    }
  }

  /** A frame of it, between those of data. A stream that was reset has no head any more. */
  #sendLargeHead(): void {
    const [stream] = this.#large;
    if (stream?.hasLargeHead) stream.sendHead();
    if (stream?.hasLargeHead === false) this.#large.shift();
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
