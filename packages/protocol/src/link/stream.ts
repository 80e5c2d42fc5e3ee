// One stream, the same on both sides: two directions that end apart (outbound.ts, inbound.ts). The stream is over when
// both have ended, or at a reset from either side; then its session forgets it, and nothing more is called.
import type { FairleadError } from "@fairlead/kernel";
import type { CreditPool } from "./credit-pool.ts";
import { streamMisuse } from "./errors.ts";
import type { FrameWriter } from "./frame-writer.ts";
import { formatHead, formatOpen, isDeadline, isFinalStatus, isRequestId } from "./heads.ts";
import { type Breach, Inbound } from "./inbound.ts";
import { Outbound } from "./outbound.ts";
import { streamReset } from "./reset-errors.ts";
import type { Scheduler } from "./scheduler.ts";
import type { LinkStream, OpenHead, RawHeaders, ResetCode, ResponseHead, StreamHandlers } from "./types.ts";
import { resetCodes } from "./types.ts";
import type { TunerOptions } from "./window-tuner.ts";

/** What a stream needs of its session. */
export interface StreamHost {
  readonly writer: FrameWriter;
  readonly pool: CreditPool;
  /** For what comes on streams that the peer opened. */
  readonly peerPool: CreditPool;
  readonly frameBytes: number;
  readonly tuning: TunerOptions;
  now(): number;
  /** The stream has a head to send: OPEN or HEAD. */
  queueHead(stream: MuxStream): void;
  /** Whose turn it is on the lane that every stream begins on. */
  readonly scheduler: Scheduler;
  /** From so many bytes on a direction is bulk. */
  readonly bulkAfterBytes: number;
  /** The peer may send on two lanes. */
  mayComeEarly(): boolean;
  /** Our direction carries bulk, and a frame of its data is about to go out: the only moment at which it may move. */
  sendsBulk(stream: MuxStream): void;
  /** The peer's direction carries bulk. */
  receivesBulk(): void;
  endWithin(stream: MuxStream, ms: number | undefined): void;
  over(stream: MuxStream): void;
  countReset(code: ResetCode): void;
  countCreditViolation(): void;
}

export interface MuxStreamOptions {
  readonly host: StreamHost;
  readonly id: number;
  readonly open: OpenHead;
  readonly isOpener: boolean;
  /** What the peer lets us send from the start. */
  readonly creditBytes: number;
}

export class MuxStream implements LinkStream {
  readonly id: number;
  readonly open: OpenHead;
  readonly isOpener: boolean;
  readonly inbound: Inbound;
  readonly outbound: Outbound;
  isOver = false;
  handlers: StreamHandlers = noHandlers;
  deadlineAt = 0;
  endAt: number = Number.POSITIVE_INFINITY;
  /** Of the lane that our direction is on. */
  scheduler: Scheduler;
  readonly #host: StreamHost;
  /** "The answer is whole" came before all of the answer. */
  #hasEarlyReset = false;

  constructor(options: MuxStreamOptions) {
    const { host, id, open, isOpener, creditBytes } = options;
    const { writer, frameBytes, tuning } = host;
    const pool = isOpener ? host.pool : host.peerPool;
    this.#host = host;
    this.scheduler = host.scheduler;
    this.id = id;
    this.open = open;
    this.isOpener = isOpener;
    this.inbound = new Inbound({ isOpener, pool, tuning });
    this.outbound = new Outbound({ id, isOpener, writer, frameBytes, creditBytes });
  }

  /** No head yet, in the direction that answers. */
  isWaiting(): boolean {
    return (this.isOpener ? this.inbound.state : this.outbound.state) === "headless";
  }

  /** Opener only, once: prepares OPEN. Throws when it is too large. */
  request(): void {
    const { requestId, deadlineMs } = this.open;
    if (!isRequestId(requestId)) throw streamMisuse("A request id is at most 128 printable ASCII characters.");
    if (!isDeadline(deadlineMs)) throw streamMisuse("A stream's deadline is over 0 and at most a day.");
    this.outbound.setHead(formatOpen(this.open, this.inbound.window.creditBytes));
    this.#host.queueHead(this);
  }

  respond(head: ResponseHead): void {
    if (this.isOver) return;
    if (this.outbound.state !== "headless") throw streamMisuse("A stream is answered once, by its acceptor.");
    if (!isFinalStatus(head.status)) throw streamMisuse(`A stream can't be answered with status ${head.status}.`);
    if (head.status === 101 && !this.open.upgrade) throw streamMisuse("101 answers a stream that asks for an upgrade.");
    this.outbound.setHead(formatHead(head));
    this.#host.queueHead(this);
  }

  write(chunk: Uint8Array): boolean {
    if (this.isOver) return true;
    const mayGoOn = this.outbound.push(chunk, this.#host.now());
    if (this.outbound.canSend()) this.scheduler.queueData(this);
    return mayGoOn;
  }

  end(trailers: RawHeaders = noHeaders): void {
    if (!this.isOver && this.outbound.end(trailers)) this.#settle();
  }

  reset(code: ResetCode, message = ""): void {
    if (this.isOver) return;
    // A stream whose OPEN never went out is unknown to the peer.
    if (!(this.isOpener && this.outbound.hasUnsentHead)) this.outbound.writer.reset(this.id, code, message);
    this.#finish(code);
  }

  consumed(sizeBytes: number): void {
    if (this.isOver) return;
    this.#tellWindow(this.inbound.window.consume(sizeBytes));
  }

  endWithin(ms: number | undefined): void {
    if (!this.isOver) this.#host.endWithin(this, ms);
  }

  /** Resets, and tells our own side too. */
  fail(code: ResetCode, error: FairleadError, text: string = error.message): void {
    if (this.isOver) return;
    this.reset(code, text);
    this.#call(() => this.handlers.onReset(error, code));
  }

  /** The link is gone: nobody is left to tell but our own side. */
  lose(error: FairleadError): void {
    if (this.isOver) return;
    this.#finish(resetCodes.linkLost);
    this.#call(() => this.handlers.onReset(error, resetCodes.linkLost));
  }

  /** The scheduler's turns. */
  sendHead(): void {
    if (!this.isOver && this.outbound.sendHead()) this.#settle();
  }

  canSend(): boolean {
    return !this.isOver && this.outbound.canSend();
  }

  sendData(): void {
    if (this.outbound.sentBytes >= this.#host.bulkAfterBytes) this.#host.sendsBulk(this);
    if (this.outbound.sendData(this.#host.now())) this.#settle();
    else if (this.outbound.unblock()) this.#call(() => this.handlers.onWritable?.());
  }

  receiveHead(head: ResponseHead, fin: boolean): void {
    const breach = this.inbound.head(this.open, head, fin);
    if (breach !== undefined) return void this.#break(breach);
    this.#call(() => this.handlers.onHead?.(head));
    if (fin) this.receiveNothingMore(noHeaders);
  }

  receiveData(bytes: Uint8Array, offset: number, fin: boolean): void {
    const { inbound } = this;
    if (inbound.receivedBytes >= this.#host.bulkAfterBytes) this.#host.receivesBulk();
    const isEarly = offset > inbound.receivedBytes && this.#host.mayComeEarly();
    const { byteLength } = bytes;
    const breach = isEarly ? inbound.earlyData(bytes, offset, fin) : inbound.data(byteLength, offset, fin);
    if (breach !== undefined) return void this.#break(breach);
    if (!fin && inbound.window.isFirstHalfUsed()) this.#tellWindow(inbound.window.grow());
    if (isEarly) return;
    this.#take(bytes, fin);
    if (inbound.hasEarly) this.#takeEarly();
  }

  receiveEnd(trailers: RawHeaders): void {
    const isEarly = this.inbound.hasEarly;
    const breach = isEarly ? this.inbound.earlyEnd(trailers) : this.inbound.end();
    if (breach !== undefined) return void this.#break(breach);
    if (!isEarly) this.receiveNothingMore(trailers);
  }

  /** The peer's direction has ended, in whichever frame. */
  receiveNothingMore(trailers: RawHeaders): void {
    if (this.isOver) return;
    this.#call(() => this.handlers.onEnd(trailers));
    this.#settle();
  }

  receiveWindow(addBytes: number): void {
    if (!this.outbound.addCredit(addBytes)) return void this.#break(tooMuchCredit);
    if (this.outbound.canSend()) this.scheduler.queueData(this);
  }

  receiveReset(code: ResetCode, text: string): void {
    if (code === resetCodes.noError && this.inbound.hasEarlyEnd) {
      this.#hasEarlyReset = true;
      return;
    }
    // The peer answered whole and wants no more of our body: not a failure. A writer that waits goes on into the void.
    const isWhole = code === resetCodes.noError && this.inbound.state === "ended";
    const wasBlocked = this.outbound.isBlocked;
    this.#finish(code);
    if (!isWhole) this.#call(() => this.handlers.onReset(streamReset(code, text), code));
    else if (wasBlocked) this.#call(() => this.handlers.onWritable?.());
  }

  #take(bytes: Uint8Array, fin: boolean): void {
    if (bytes.byteLength > 0) this.#call(() => this.handlers.onData(bytes));
    if (fin) this.receiveNothingMore(noHeaders);
  }

  /** What had come ahead of its turn. A handler may end the stream at any of it. */
  #takeEarly(): void {
    while (!this.isOver) {
      const early = this.inbound.takeEarly();
      if (early === undefined) break;
      this.#take(early.bytes, early.fin);
    }
    const trailers = this.isOver ? undefined : this.inbound.takeEarlyEnd();
    if (trailers !== undefined) this.receiveNothingMore(trailers);
    if (this.#hasEarlyReset && !this.isOver && !this.inbound.hasEarlyEnd) this.receiveReset(resetCodes.noError, "");
  }

  #tellWindow(addBytes: number): void {
    if (addBytes > 0 && this.inbound.state !== "ended") this.#host.writer.window(this.id, addBytes);
  }

  #settle(): void {
    if (this.isOver || this.outbound.state !== "ended" || this.inbound.state !== "ended") return;
    this.isOver = true;
    this.inbound.window.release();
    this.#host.over(this);
  }

  #finish(code: ResetCode): void {
    this.isOver = true;
    this.outbound.drop();
    this.inbound.drop();
    this.#host.countReset(code);
    this.#host.over(this);
  }

  #break(breach: Breach): void {
    this.fail(breach.code, streamReset(breach.code, breach.text), breach.text);
    if (breach.code === resetCodes.flowControl) this.#host.countCreditViolation();
  }

  /** A handler that throws loses its stream and nothing else; it is told once, and what it throws then is let go. */
  #call(handler: () => void): void {
    try {
      handler();
    } catch (thrown) {
      if (this.isOver) return;
      this.reset(resetCodes.internal, "a handler failed");
      try {
        this.handlers.onReset(streamReset(resetCodes.internal, "a handler failed", thrown), resetCodes.internal);
      } catch {
        this.#host.countReset(resetCodes.internal);
      }
    }
  }
}

const noHeaders: RawHeaders = [];
const noHandlers: StreamHandlers = { onData() {}, onEnd() {}, onReset() {} };
const tooMuchCredit: Breach = { code: resetCodes.flowControl, text: "more credit than fits" };
