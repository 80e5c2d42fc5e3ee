// One stream's state, the same on both sides. Each direction goes its own way:
//   sending:   headless (acceptor before respond) -> open -> ending (end() called, data queued) -> ended
//   receiving: headless (opener before HEAD)      -> open -> ended
// and the whole is over when both have ended, or at a reset from either side.
import type { FairleadError } from "@fairlead/kernel";
import { ChunkQueue } from "./chunk-queue.ts";
import type { CreditPool } from "./credit-pool.ts";
import { frameInvalid, streamMisuse, streamReset } from "./errors.ts";
import { frameTypes } from "./frame.ts";
import { checkHeadSize, type FrameWriter } from "./frame-writer.ts";
import { formatHead, formatOpen, formatTrailers, isFinalStatus } from "./heads.ts";
import { ReceiveWindow } from "./receive-window.ts";
import type { LinkStream, OpenHead, RawHeaders, ResetCode, ResponseHead, StreamHandlers } from "./types.ts";
import { resetCodes } from "./types.ts";

export type Sending = "headless" | "open" | "ending" | "ended";
export type Receiving = "headless" | "open" | "ended";

/** What a stream needs of its session. */
export interface StreamHost {
  readonly writer: FrameWriter;
  readonly pool: CreditPool;
  readonly frameBytes: number;
  readonly windowBytes: number;
  now(): number;
  /** The stream has a head to send: OPEN or HEAD. */
  queueHead(stream: MuxStream): void;
  /** The stream has data and credit. */
  queueData(stream: MuxStream): void;
  /** HEAD came or went: the open's deadline is met. */
  answered(): void;
  over(stream: MuxStream): void;
  countReset(code: ResetCode): void;
  countCreditViolation(): void;
}

export class MuxStream implements LinkStream {
  readonly id: number;
  readonly open: OpenHead;
  readonly isOpener: boolean;
  readonly window: ReceiveWindow;
  readonly queue: ChunkQueue = new ChunkQueue();
  sending: Sending;
  receiving: Receiving;
  isOver = false;
  handlers: StreamHandlers;
  /** In the session's ring of streams that can send. */
  isScheduled = false;
  sendCreditBytes: number;
  /** When data began to wait, for queue ages; when credit ran out while data waits, for the watchdog. */
  queuedAt = 0;
  starvedAt = 0;
  deadlineAt = 0;
  readonly #host: StreamHost;
  #headText: string | undefined;
  #trailers: RawHeaders = noHeaders;
  #sentOffset = 0;
  #receivedOffset = 0;
  #isBlocked = false;

  constructor(host: StreamHost, id: number, open: OpenHead, isOpener: boolean, sendCreditBytes: number) {
    this.#host = host;
    this.id = id;
    this.open = open;
    this.isOpener = isOpener;
    this.window = new ReceiveWindow(host.pool, host.windowBytes);
    this.sending = isOpener ? "open" : "headless";
    this.receiving = isOpener ? "headless" : "open";
    this.handlers = noHandlers;
    this.sendCreditBytes = sendCreditBytes;
  }

  /** Opener only, once: prepares OPEN. Throws when it is too large. */
  request(): void {
    this.#headText = formatOpen(this.open, this.window.creditBytes);
    checkHeadSize(this.#headText);
    this.#host.queueHead(this);
  }

  respond(head: ResponseHead): void {
    if (this.isOver) return;
    if (this.isOpener || this.sending !== "headless") throw streamMisuse("A stream is answered once, by its acceptor.");
    if (!isFinalStatus(head.status)) throw streamMisuse(`A stream can't be answered with status ${head.status}.`);
    if (head.status === 101 && !this.open.upgrade) throw streamMisuse("101 answers a stream that asks for an upgrade.");
    const text = formatHead(head);
    checkHeadSize(text);
    this.#headText = text;
    this.sending = "open";
    this.#host.queueHead(this);
    this.#host.answered();
  }

  write(chunk: Uint8Array): boolean {
    if (this.isOver) return true;
    if (this.sending === "headless") throw streamMisuse("Data was written before the head.");
    if (this.sending !== "open") throw streamMisuse("Data was written after the end.");
    if (chunk.byteLength > 0) {
      if (this.queue.sizeBytes === 0) {
        this.queuedAt = this.#host.now();
        this.starvedAt = this.sendCreditBytes > 0 ? 0 : this.queuedAt;
      }
      this.queue.push(chunk);
      if (this.sendCreditBytes > 0) this.#host.queueData(this);
    }
    this.#isBlocked = this.queue.sizeBytes > this.#host.frameBytes;
    return !this.#isBlocked;
  }

  end(trailers: RawHeaders = noHeaders): void {
    if (this.isOver || this.sending === "ending" || this.sending === "ended") return;
    if (this.sending === "headless") throw streamMisuse("A stream was ended before its head.");
    if (trailers.length > 0) checkHeadSize(formatTrailers(trailers));
    this.#trailers = trailers;
    this.sending = "ending";
    // With a head or data still to go, the end rides on the last of them.
    if (this.#headText === undefined && this.queue.sizeBytes === 0) this.#sendEnd();
  }

  reset(code: ResetCode, message = ""): void {
    if (this.isOver) return;
    const wasSent = !(this.isOpener && this.#headText !== undefined);
    if (wasSent) this.#host.writer.reset(this.id, code, message);
    this.#finish(code);
  }

  consumed(sizeBytes: number): void {
    if (this.isOver) return;
    const addBytes = this.window.consume(sizeBytes);
    if (addBytes > 0 && this.receiving !== "ended") this.#host.writer.window(this.id, addBytes);
  }

  /** Resets, and tells our own side too. */
  fail(code: ResetCode, error: FairleadError, message: string = error.message): void {
    if (this.isOver) return;
    this.reset(code, message);
    this.#call(() => this.handlers.onReset(error, code));
  }

  /** The link is gone: nobody is left to tell but our own side. */
  lose(error: FairleadError): void {
    if (this.isOver) return;
    this.#finish(resetCodes.linkLost);
    this.#call(() => this.handlers.onReset(error, resetCodes.linkLost));
  }

  sendHead(): void {
    const text = this.#headText;
    if (this.isOver || text === undefined) return;
    this.#headText = undefined;
    const endsHere = this.sending === "ending" && this.queue.sizeBytes === 0;
    const fin = endsHere && this.#trailers.length === 0;
    this.#host.writer.json(this.isOpener ? frameTypes.open : frameTypes.head, this.id, fin, text);
    if (fin) this.#sent();
    else if (endsHere) this.#sendEnd();
  }

  canSend(): boolean {
    return !this.isOver && this.sendCreditBytes > 0 && this.queue.sizeBytes > 0;
  }

  /** One frame of data; the scheduler's turn. */
  sendData(): void {
    const chunk = this.queue.take(Math.min(this.sendCreditBytes, this.#host.frameBytes));
    const isLast = this.queue.sizeBytes === 0;
    const endsHere = isLast && this.sending === "ending";
    const fin = endsHere && this.#trailers.length === 0;
    this.#host.writer.data(this.id, fin, this.#sentOffset, chunk);
    this.#sentOffset += chunk.byteLength;
    this.sendCreditBytes -= chunk.byteLength;
    if (!isLast) {
      this.queuedAt = this.#host.now();
      this.starvedAt = this.sendCreditBytes > 0 ? 0 : this.queuedAt;
    }
    if (fin) return this.#sent();
    if (endsHere) return this.#sendEnd();
    this.#unblock();
  }

  receiveHead(head: ResponseHead, fin: boolean): void {
    if (!this.isOpener || this.receiving !== "headless") return this.#break("a second head");
    if (head.status === 101 && !this.open.upgrade) return this.#break("101 without an upgrade");
    this.receiving = fin ? "ended" : "open";
    this.#host.answered();
    this.#call(() => this.handlers.onHead?.(head));
    if (fin) this.#received(noHeaders);
  }

  receiveData(bytes: Uint8Array, offset: number, fin: boolean): void {
    if (this.receiving !== "open") return this.#break("data outside of the stream's body");
    if (offset !== this.#receivedOffset) return this.#break("data at the wrong offset");
    const sizeBytes = bytes.byteLength;
    if (!this.window.receive(sizeBytes)) {
      this.fail(resetCodes.flowControl, streamReset(resetCodes.flowControl));
      return this.#host.countCreditViolation();
    }
    this.#receivedOffset += sizeBytes;
    if (fin) this.receiving = "ended";
    else if (this.window.isFirstHalfUsed()) this.growWindow();
    if (sizeBytes > 0) this.#deliver(bytes);
    if (fin) this.#received(noHeaders);
  }

  receiveEnd(trailers: RawHeaders): void {
    if (this.receiving !== "open") return this.#break("an end outside of the stream's body");
    this.receiving = "ended";
    this.#received(trailers);
  }

  /** The peer's OPEN said that nothing follows. */
  receiveNoBody(): void {
    this.#received(noHeaders);
  }

  receiveWindow(addBytes: number): void {
    if (addBytes === 0) return;
    this.sendCreditBytes += addBytes;
    if (this.sendCreditBytes > maxCreditBytes) {
      return this.fail(resetCodes.flowControl, streamReset(resetCodes.flowControl, "more credit than fits"));
    }
    this.starvedAt = 0;
    if (this.queue.sizeBytes > 0) this.#host.queueData(this);
  }

  receiveReset(code: ResetCode, text: string): void {
    // The peer answered whole and wants no more of our body: not a failure. A writer that waits goes on into the void.
    const isWhole = code === resetCodes.noError && this.receiving === "ended";
    const wasBlocked = this.#isBlocked;
    this.#finish(code);
    if (isWhole) {
      if (wasBlocked) this.#call(() => this.handlers.onWritable?.());
      return;
    }
    this.#call(() => this.handlers.onReset(streamReset(code, text), code));
  }

  growWindow(): void {
    const addBytes = this.window.grow();
    if (addBytes > 0) this.#host.writer.window(this.id, addBytes);
  }

  #deliver(bytes: Uint8Array): void {
    try {
      this.handlers.onData(bytes);
    } catch (thrown) {
      this.#failHandler(thrown);
    }
  }

  #received(trailers: RawHeaders): void {
    if (this.isOver) return;
    this.#call(() => this.handlers.onEnd(trailers));
    this.#settle();
  }

  #sendEnd(): void {
    if (this.#trailers.length > 0) {
      this.#host.writer.json(frameTypes.trailers, this.id, false, formatTrailers(this.#trailers));
    } else {
      this.#host.writer.end(this.id);
    }
    this.#sent();
  }

  #sent(): void {
    this.sending = "ended";
    this.#settle();
  }

  #settle(): void {
    if (this.isOver || this.sending !== "ended" || this.receiving !== "ended") return;
    this.isOver = true;
    this.window.release();
    this.#host.over(this);
  }

  #finish(code: ResetCode): void {
    this.isOver = true;
    this.#headText = undefined;
    this.queue.clear();
    this.window.release();
    this.#host.countReset(code);
    this.#host.over(this);
  }

  #unblock(): void {
    if (!this.#isBlocked || this.queue.sizeBytes > this.#host.frameBytes / 2) return;
    this.#isBlocked = false;
    this.#call(() => this.handlers.onWritable?.());
  }

  #break(what: string): void {
    this.fail(resetCodes.protocol, frameInvalid(what), what);
  }

  #call(handler: () => void): void {
    try {
      handler();
    } catch (thrown) {
      this.#failHandler(thrown);
    }
  }

  /** A handler that throws loses its stream and nothing else; it is told once, and what it throws then is let go. */
  #failHandler(thrown: unknown): void {
    if (this.isOver) return;
    this.reset(resetCodes.internal, "a handler failed");
    try {
      this.handlers.onReset(streamReset(resetCodes.internal, "a handler failed", thrown), resetCodes.internal);
    } catch {
      this.#host.countReset(resetCodes.internal);
    }
  }
}

const noHeaders: RawHeaders = [];
const noHandlers: StreamHandlers = { onData() {}, onEnd() {}, onReset() {} };
const maxCreditBytes = 0x7fff_ffff;
