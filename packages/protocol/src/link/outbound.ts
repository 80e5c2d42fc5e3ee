// Our direction of a stream: headless (acceptor before respond) -> open -> ending (end() called, data queued) -> ended.
// The head and the data wait for the scheduler; the end rides on the last frame that does.
import { ChunkQueue } from "./chunk-queue.ts";
import { streamMisuse } from "./errors.ts";
import { frameTypes } from "./frame.ts";
import { checkHeadSize, type FrameWriter } from "./frame-writer.ts";
import { formatTrailers } from "./heads.ts";
import type { RawHeaders } from "./types.ts";

export type Sending = "headless" | "open" | "ending" | "ended";

export interface OutboundOptions {
  readonly id: number;
  readonly isOpener: boolean;
  readonly writer: FrameWriter;
  readonly frameBytes: number;
  readonly creditBytes: number;
}

export class Outbound {
  readonly queue: ChunkQueue = new ChunkQueue();
  state: Sending;
  creditBytes: number;
  /** In the scheduler's ring of streams that can send. */
  isScheduled = false;
  /** A `write` returned false, and `onWritable` is owed. */
  isBlocked = false;
  /** When the data at the front began to wait, for queue ages; and since when it waits for credit. */
  queuedAt = 0;
  starvedAt = 0;
  /** Of the lane that this direction is on. */
  writer: FrameWriter;
  readonly #id: number;
  readonly #headType: number;
  readonly #frameBytes: number;
  #headText: string | undefined;
  #trailers: RawHeaders = noHeaders;
  #offset = 0;
  #isKnownToPeer = false;

  constructor(options: OutboundOptions) {
    this.#id = options.id;
    this.writer = options.writer;
    this.#frameBytes = options.frameBytes;
    this.creditBytes = options.creditBytes;
    this.#headType = options.isOpener ? frameTypes.open : frameTypes.head;
    this.state = options.isOpener ? "open" : "headless";
  }

  /** Bytes that went out. */
  get sentBytes(): number {
    return this.#offset;
  }

  /** Credit came back: the peer has seen the head, and frames on another lane can't be ahead of it. */
  get isKnownToPeer(): boolean {
    return this.#isKnownToPeer;
  }

  get hasUnsentHead(): boolean {
    return this.#headText !== undefined;
  }

  setHead(text: string): void {
    checkHeadSize(text);
    this.#headText = text;
    this.state = "open";
  }

  push(chunk: Uint8Array, now: number): boolean {
    if (this.state === "headless") throw streamMisuse("Data was written before the head.");
    if (this.state !== "open") throw streamMisuse("Data was written after the end.");
    if (chunk.byteLength > 0) {
      if (this.queue.sizeBytes === 0) this.#frontChanged(now);
      this.queue.push(chunk);
    }
    this.isBlocked = this.queue.sizeBytes > this.#frameBytes;
    return !this.isBlocked;
  }

  /** True when the end went out at once. */
  end(trailers: RawHeaders): boolean {
    if (this.state === "headless") throw streamMisuse("A stream was ended before its head.");
    if (this.state !== "open") return false;
    if (trailers.length > 0) checkHeadSize(formatTrailers(trailers));
    this.#trailers = trailers;
    this.state = "ending";
    return !this.hasUnsentHead && this.#endIfDrained(false);
  }

  addCredit(addBytes: number): boolean {
    this.creditBytes += addBytes;
    this.starvedAt = 0;
    this.#isKnownToPeer = true;
    return this.creditBytes <= maxCreditBytes;
  }

  canSend(): boolean {
    return this.creditBytes > 0 && this.queue.sizeBytes > 0;
  }

  /** True when our direction ended with it. */
  sendHead(): boolean {
    const text = this.#headText;
    if (text === undefined) return false;
    this.#headText = undefined;
    const fin = this.#canEndWithFin();
    this.writer.json(this.#headType, this.#id, fin, text);
    return this.#endIfDrained(fin);
  }

  /** One frame of data. True when our direction ended with it. */
  sendData(now: number): boolean {
    const sizeBytes = Math.min(this.creditBytes, this.#frameBytes, this.queue.sizeBytes);
    const chunks = this.queue.take(sizeBytes);
    const fin = this.#canEndWithFin();
    this.writer.data(this.#id, fin, this.#offset, chunks, sizeBytes);
    this.#offset += sizeBytes;
    this.creditBytes -= sizeBytes;
    if (this.queue.sizeBytes > 0) this.#frontChanged(now);
    return this.#endIfDrained(fin);
  }

  /** Whether the writer that was told to wait may go on. */
  unblock(): boolean {
    if (!this.isBlocked || this.queue.sizeBytes > this.#frameBytes / 2) return false;
    this.isBlocked = false;
    return true;
  }

  drop(): void {
    this.#headText = undefined;
    this.queue.clear();
  }

  #canEndWithFin(): boolean {
    return this.state === "ending" && this.queue.sizeBytes === 0 && this.#trailers.length === 0;
  }

  #endIfDrained(wasSentAsFin: boolean): boolean {
    if (this.state !== "ending" || this.queue.sizeBytes > 0) return false;
    this.state = "ended";
    if (this.#trailers.length > 0) {
      this.writer.json(frameTypes.trailers, this.#id, false, formatTrailers(this.#trailers));
    } else if (!wasSentAsFin) {
      this.writer.end(this.#id);
    }
    return true;
  }

  #frontChanged(now: number): void {
    this.queuedAt = now;
    this.starvedAt = this.creditBytes > 0 ? 0 : now;
  }
}

const noHeaders: RawHeaders = [];
const maxCreditBytes = 0x7fff_ffff;
