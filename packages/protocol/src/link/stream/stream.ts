// A stream is the same on both sides. stream-state.ts says what may happen when; outbound.ts and inbound.ts hold the
// bytes of the two directions. After its end a stream is forgotten by its owner, and nothing more is called.
import type { FairleadError } from "@fairlead/kernel";
import {
  formatHead,
  formatOpen,
  isDeadline,
  isFinalStatus,
  isRequestId,
  type OpenHead,
  type RawHeaders,
  type ResetCode,
  type ResponseHead,
  resetCodes,
} from "../wire/index.ts";
import { streamErrors } from "./errors.ts";
import { type Breach, Inbound } from "./inbound.ts";
import { Outbound } from "./outbound.ts";
import type { ReceiveWindow } from "./receive-window.ts";
import { streamReset } from "./reset-errors.ts";
import type { Scheduled, Way } from "./scheduler.ts";
import {
  firstStreamState,
  nextStreamState,
  type Receiving,
  type StreamEvent,
  type StreamState,
} from "./stream-state.ts";
import type { LinkStream, StreamHandlers } from "./types.ts";

/** Looks after all streams of a link. */
export interface StreamOwner {
  now(): number;
  /** The largest head that the peer takes. */
  peerHeadBytes(): number;
  /** True when the peer may send on two lanes. */
  hasBulkLane(): boolean;
  /** Our direction carries bulk, and a frame of its data is about to go out: the only moment at which it may move. */
  sendsBulk(stream: MuxStream): void;
  /** The peer's direction carries bulk. */
  receivesBulk(): void;
  endWithin(stream: MuxStream, ms: number | undefined): void;
  /** The stream is over: at a reset with this code, or whole. */
  forget(stream: MuxStream, code: ResetCode | undefined): void;
  /** The peer has sent more than it may. */
  countOverdraft(): void;
}

export interface MuxStreamOptions {
  readonly owner: StreamOwner;
  /** The lane that every stream begins on, and that heads and credit stay on. */
  readonly way: Way;
  readonly id: number;
  readonly open: OpenHead;
  readonly isOpener: boolean;
  /** The window for the peer's data. */
  readonly window: ReceiveWindow;
  /** Bytes that the peer lets us send from the start. */
  readonly creditBytes: number;
  readonly frameBytes: number;
  /** A direction is bulk from so many bytes on. */
  readonly bulkAfterBytes: number;
}

export class MuxStream implements LinkStream, Scheduled {
  readonly id: number;
  readonly open: OpenHead;
  readonly isOpener: boolean;
  readonly inbound: Inbound;
  readonly outbound: Outbound;
  state: StreamState;
  handlers: StreamHandlers = noHandlers;
  /** The lane that our direction is on. */
  way: Way;
  isScheduled = false;
  /** Times of the owner's own clock. */
  deadlineAt = 0;
  endAt: number = Number.POSITIVE_INFINITY;
  readonly #owner: StreamOwner;
  readonly #main: Way;
  readonly #bulkAfterBytes: number;

  constructor(options: MuxStreamOptions) {
    const { owner, way, id, open, isOpener, window, bulkAfterBytes } = options;
    this.#owner = owner;
    this.#main = way;
    this.#bulkAfterBytes = bulkAfterBytes;
    this.way = way;
    this.id = id;
    this.open = open;
    this.isOpener = isOpener;
    this.state = firstStreamState(isOpener);
    this.inbound = new Inbound(window);
    this.outbound = new Outbound(options);
  }

  get isOver(): boolean {
    return this.state.is === "over";
  }

  /** No head yet, in the direction that answers. */
  get isUnanswered(): boolean {
    const { state } = this;
    return state.is === "live" && (this.isOpener ? state.receiving : state.sending) === "headless";
  }

  get queuedBytes(): number {
    return this.outbound.queue.sizeBytes;
  }

  /** Opener only, once: prepares OPEN. Throws when it is too large. */
  request(): void {
    const { requestId, deadlineMs } = this.open;
    if (!isRequestId(requestId))
      throw streamErrors.LINK_STREAM_MISUSE({ text: "A request id is at most 128 printable ASCII characters." });
    if (!isDeadline(deadlineMs))
      throw streamErrors.LINK_STREAM_MISUSE({ text: "A stream's deadline is over 0 and at most a day." });
    this.outbound.setHead(formatOpen(this.open, this.inbound.window.creditBytes), this.#owner.peerHeadBytes());
    this.#main.scheduler.queueHead(this);
  }

  respond(head: ResponseHead): void {
    if (this.isOver) return;
    const answered = nextStreamState(this.state, "answered");
    if (answered === undefined)
      throw streamErrors.LINK_STREAM_MISUSE({ text: "A stream is answered once, by its acceptor." });
    if (!isFinalStatus(head.status))
      throw streamErrors.LINK_STREAM_MISUSE({ text: `A stream can't be answered with status ${head.status}.` });
    if (head.status === 101 && !this.open.upgrade)
      throw streamErrors.LINK_STREAM_MISUSE({ text: "101 answers a stream that asks for an upgrade." });
    this.outbound.setHead(formatHead(head), this.#owner.peerHeadBytes());
    this.state = answered;
    this.#main.scheduler.queueHead(this);
  }

  write(chunk: Uint8Array): boolean {
    const { state } = this;
    if (state.is === "over") return true;
    if (state.sending !== "open") {
      throw streamErrors.LINK_STREAM_MISUSE({
        text: `Data was written ${state.sending === "headless" ? "before the head" : "after the end"}.`,
      });
    }
    const mayGoOn = this.outbound.push(chunk, this.#owner.now());
    if (this.outbound.canSend()) this.way.scheduler.queueData(this);
    return mayGoOn;
  }

  end(trailers: RawHeaders = noHeaders): void {
    const { state } = this;
    if (state.is === "over") return;
    if (state.sending === "headless")
      throw streamErrors.LINK_STREAM_MISUSE({ text: "A stream was ended before its head." });
    if (state.sending !== "open") return;
    const isSent = this.outbound.end(trailers, this.way.writer);
    this.#enter("ended");
    if (isSent) this.#allSent();
  }

  reset(code: ResetCode, message = ""): void {
    if (this.isOver) return;
    // A stream whose OPEN never went out is unknown to the peer.
    if (!(this.isOpener && this.outbound.isUnbegun)) this.way.writer.reset(this.id, code, message);
    this.#drop(code);
  }

  consumed(sizeBytes: number): void {
    if (!this.isOver) this.#tellWindow(this.inbound.window.consume(sizeBytes));
  }

  endWithin(ms: number | undefined): void {
    if (!this.isOver) this.#owner.endWithin(this, ms);
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
    this.#drop(resetCodes.linkLost);
    this.#call(() => this.handlers.onReset(error, resetCodes.linkLost));
  }

  /** The scheduler's turns. */
  sendHead(): void {
    if (this.isOver) return;
    const wasLarge = this.outbound.hasLargeHead;
    if (this.outbound.sendHead(this.#main.writer)) this.#allSent();
    // Its data couldn't be scheduled before.
    else if (wasLarge && this.canSend()) this.way.scheduler.queueData(this);
  }

  get hasLargeHead(): boolean {
    return !this.isOver && this.outbound.hasLargeHead;
  }

  canSend(): boolean {
    return !this.isOver && this.outbound.canSend();
  }

  sendData(): void {
    const { outbound } = this;
    if (outbound.sentBytes >= this.#bulkAfterBytes) this.#owner.sendsBulk(this);
    if (outbound.sendData(this.#owner.now(), this.way.writer)) this.#allSent();
    else if (outbound.unblock()) this.#call(() => this.handlers.onWritable?.());
  }

  receiveHead(head: ResponseHead, fin: boolean): void {
    const headed = nextStreamState(this.state, "head-came");
    if (headed === undefined) return void this.#break(secondHead);
    if (head.status === 101 && !this.open.upgrade) return void this.#break(unaskedUpgrade);
    this.state = headed;
    if (fin) this.#enter("end-came");
    this.#call(() => this.handlers.onHead?.(head));
    if (fin) this.tellEnd(noHeaders);
  }

  receiveData(bytes: Uint8Array, offset: number, fin: boolean): void {
    const { inbound, state } = this;
    if (inbound.receivedBytes >= this.#bulkAfterBytes) this.#owner.receivesBulk();
    const isEarly = offset > inbound.receivedBytes && this.#owner.hasBulkLane();
    if (state.is === "over" || !(isEarly ? state.receiving === "open" : takesData[state.receiving])) {
      return void this.#break(strayData);
    }
    const breach = isEarly ? inbound.earlyData(bytes, offset, fin) : inbound.data(bytes.byteLength, offset, fin);
    if (breach !== undefined) return void this.#break(breach);
    if (fin) this.#enter(isEarly ? "end-came-early" : "end-came");
    else if (inbound.window.isFirstHalfUsed()) this.#tellWindow(inbound.window.grow());
    if (isEarly) return;
    if (bytes.byteLength > 0) this.#call(() => this.handlers.onData(bytes));
    if (fin) this.tellEnd(noHeaders);
    else if (inbound.hasEarly) this.#takeEarly();
  }

  receiveEnd(trailers: RawHeaders): void {
    const isEarly = this.inbound.hasEarly;
    if (!this.#enter(isEarly ? "end-came-early" : "end-came")) return void this.#break(strayEnd);
    if (isEarly) this.inbound.earlyEnd(trailers);
    else this.tellEnd(trailers);
  }

  /** OPEN brought the end of the peer's direction. */
  receiveEndWithOpen(): void {
    this.#enter("end-came");
  }

  /** The peer's direction has ended, in whichever frame. */
  tellEnd(trailers: RawHeaders): void {
    if (this.isOver) return;
    this.#call(() => this.handlers.onEnd(trailers));
    this.#settle();
  }

  receiveWindow(addBytes: number): void {
    if (!this.outbound.addCredit(addBytes)) return void this.#break(tooMuchCredit);
    if (this.outbound.canSend()) this.way.scheduler.queueData(this);
  }

  receiveReset(code: ResetCode, text: string): void {
    const { state } = this;
    if (state.is === "over") return;
    if (code === resetCodes.noError && (state.receiving === "ending" || state.receiving === "finishing")) {
      this.#enter("rest-unwanted");
      return;
    }
    // The peer answered whole and wants no more of our body: not a failure. A writer that waits goes on into the void.
    const isWhole = code === resetCodes.noError && state.receiving === "ended";
    const wasBlocked = this.outbound.isBlocked;
    this.#drop(code);
    if (!isWhole) this.#call(() => this.handlers.onReset(streamReset(code, text), code));
    else if (wasBlocked) this.#call(() => this.handlers.onWritable?.());
  }

  /** Hands on what had come ahead of its turn. A handler may end the stream at any of it. */
  #takeEarly(): void {
    while (!this.isOver) {
      const bytes = this.inbound.takeEarly();
      if (bytes === undefined) return;
      const { state } = this;
      const isRest = !this.inbound.hasEarly && this.#enter("rest-came");
      if (bytes.byteLength > 0) this.#call(() => this.handlers.onData(bytes));
      if (!isRest) continue;
      this.tellEnd(this.inbound.trailers);
      if (state.is === "live" && state.receiving === "finishing") this.receiveReset(resetCodes.noError, "");
      return;
    }
  }

  #tellWindow(addBytes: number): void {
    const { state } = this;
    if (addBytes > 0 && state.is === "live" && state.receiving !== "ended") this.#main.writer.window(this.id, addBytes);
  }

  /** False when the event can't happen now. */
  #enter(event: StreamEvent): boolean {
    const next = nextStreamState(this.state, event);
    if (next !== undefined) this.state = next;
    return next !== undefined;
  }

  #allSent(): void {
    this.#enter("all-sent");
    this.#settle();
  }

  #settle(): void {
    if (this.isOver) return;
    this.#enter("told");
    if (!this.isOver) return;
    this.inbound.window.release();
    this.#owner.forget(this, undefined);
  }

  #drop(code: ResetCode): void {
    this.#enter("reset");
    this.outbound.drop();
    this.inbound.drop();
    this.#owner.forget(this, code);
  }

  #break(breach: Breach): void {
    this.fail(breach.code, streamReset(breach.code, breach.text), breach.text);
    if (breach.code === resetCodes.flowControl) this.#owner.countOverdraft();
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
        // It has failed already.
      }
    }
  }
}

const noHeaders: RawHeaders = [];
const noHandlers: StreamHandlers = { onData() {}, onEnd() {}, onReset() {} };
/** Data in its turn may also come behind an end that came early. */
const takesData: Readonly<Record<Receiving, boolean>> = {
  headless: false,
  open: true,
  ending: true,
  finishing: true,
  ended: false,
};
const secondHead: Breach = { code: resetCodes.protocol, text: "a head that nobody waits for" };
const unaskedUpgrade: Breach = { code: resetCodes.protocol, text: "101 without an upgrade" };
const strayData: Breach = { code: resetCodes.protocol, text: "data outside of the body" };
const strayEnd: Breach = { code: resetCodes.protocol, text: "an end outside of the body" };
const tooMuchCredit: Breach = { code: resetCodes.flowControl, text: "more credit than fits" };
