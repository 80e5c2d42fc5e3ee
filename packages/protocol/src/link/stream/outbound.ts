// Holds the rest of our direction of a stream: a head, data, and an end that rides on the last frame of these. The
// stream's state says what may be added.
import {
  checkHeadSize,
  type FrameWriter,
  formatTrailers,
  frameTypes,
  maxPartBytes,
  type RawHeaders,
} from "../wire/index.ts";
import { ChunkQueue } from "./chunk-queue.ts";

export interface OutboundOptions {
  readonly id: number;
  readonly isOpener: boolean;
  readonly frameBytes: number;
  readonly creditBytes: number;
}

export class Outbound {
  readonly queue: ChunkQueue = new ChunkQueue();
  creditBytes: number;
  /** A `write` returned false, and `onWritable` is owed. */
  isBlocked = false;
  /** The time when the data at the front began to wait, for queue ages. */
  queuedAt = 0;
  /** The time since when it waits for credit. */
  starvedAt = 0;
  /** Bytes that went out. */
  sentBytes = 0;
  /** Credit came back: the peer has seen the head, and frames on another lane can't be ahead of it. */
  isKnownToPeer = false;
  readonly #id: number;
  readonly #headType: number;
  readonly #frameBytes: number;
  #head: UnsentHead = { is: "none" };
  /** Set when our user has ended, until that went out. */
  #trailers: RawHeaders | undefined;

  constructor(options: OutboundOptions) {
    this.#id = options.id;
    this.#frameBytes = options.frameBytes;
    this.creditBytes = options.creditBytes;
    this.#headType = options.isOpener ? frameTypes.open : frameTypes.head;
  }

  get hasUnsentHead(): boolean {
    return this.#head.is !== "none";
  }

  /** It goes in parts, in turns with data. */
  get hasLargeHead(): boolean {
    return this.#head.is === "large";
  }

  /** True until the first frame of the stream is sent. */
  get isUnbegun(): boolean {
    return this.#head.is === "small" || (this.#head.is === "large" && this.#head.sentBytes === 0);
  }

  /** Throws when it is larger than the peer takes. */
  setHead(text: string, limitBytes: number): void {
    const isLarge = checkHeadSize(text, limitBytes);
    this.#head = isLarge ? { is: "large", bytes: Buffer.from(text), sentBytes: 0 } : { is: "small", text };
  }

  push(chunk: Uint8Array, now: number): boolean {
    if (chunk.byteLength > 0) {
      if (this.queue.sizeBytes === 0) this.#frontChanged(now);
      this.queue.push(chunk);
    }
    // A relay may have to write on while this is blocked. It is told of room once all the same.
    this.isBlocked ||= this.queue.sizeBytes > this.#frameBytes;
    return !this.isBlocked;
  }

  /** Throws when the trailers are too large. True when the end went out at once. */
  end(trailers: RawHeaders, writer: FrameWriter): boolean {
    if (trailers.length > 0) checkHeadSize(formatTrailers(trailers));
    this.#trailers = trailers;
    return !this.hasUnsentHead && this.#endIfDrained(false, writer);
  }

  addCredit(addBytes: number): boolean {
    this.creditBytes += addBytes;
    this.starvedAt = 0;
    this.isKnownToPeer = true;
    return this.creditBytes <= maxCreditBytes;
  }

  canSend(): boolean {
    return this.creditBytes > 0 && this.queue.sizeBytes > 0 && !this.hasLargeHead;
  }

  /** Sends a small head, or a frame of a large one. True when our direction ended with it. */
  sendHead(writer: FrameWriter): boolean {
    const head = this.#head;
    if (head.is === "none") return false;
    if (head.is === "large" && head.bytes.byteLength - head.sentBytes > maxPartBytes) {
      const sentBytes = head.sentBytes + maxPartBytes;
      this.#head = { is: "large", bytes: head.bytes, sentBytes };
      writer.part(this.#id, head.bytes.subarray(head.sentBytes, sentBytes));
      return false;
    }
    this.#head = { is: "none" };
    const fin = this.#canEndWithFin();
    if (head.is === "small") writer.json(this.#headType, this.#id, fin, head.text);
    else writer.tail(this.#headType, this.#id, fin, head.bytes.subarray(head.sentBytes));
    return this.#endIfDrained(fin, writer);
  }

  /** Sends a frame of data. True when our direction ended with it. */
  sendData(now: number, writer: FrameWriter): boolean {
    const sizeBytes = Math.min(this.creditBytes, this.#frameBytes, this.queue.sizeBytes);
    const chunks = this.queue.take(sizeBytes);
    const fin = this.#canEndWithFin();
    writer.data(this.#id, fin, this.sentBytes, chunks, sizeBytes);
    this.sentBytes += sizeBytes;
    this.creditBytes -= sizeBytes;
    if (this.queue.sizeBytes > 0) this.#frontChanged(now);
    return this.#endIfDrained(fin, writer);
  }

  /** True when the writer that was told to wait may go on. */
  unblock(): boolean {
    if (!this.isBlocked || this.queue.sizeBytes > this.#frameBytes / 2) return false;
    this.isBlocked = false;
    return true;
  }

  drop(): void {
    this.#head = { is: "none" };
    this.#trailers = undefined;
    this.queue.clear();
  }

  #canEndWithFin(): boolean {
    return this.#trailers?.length === 0 && this.queue.sizeBytes === 0;
  }

  #endIfDrained(wasSentAsFin: boolean, writer: FrameWriter): boolean {
    const trailers = this.#trailers;
    if (trailers === undefined || this.queue.sizeBytes > 0) return false;
    this.#trailers = undefined;
    if (trailers.length > 0) writer.json(frameTypes.trailers, this.#id, false, formatTrailers(trailers));
    else if (!wasSentAsFin) writer.end(this.#id);
    return true;
  }

  #frontChanged(now: number): void {
    this.queuedAt = now;
    this.starvedAt = this.creditBytes > 0 ? 0 : now;
  }
}

type UnsentHead =
  | { readonly is: "none" }
  | { readonly is: "small"; readonly text: string }
  | { readonly is: "large"; readonly bytes: Buffer; readonly sentBytes: number };

const maxCreditBytes = 0x7fff_ffff;
