// A lane of a link outlives the connection that carries it at the moment. It counts the frames of each direction
// and keeps what the peer hasn't acknowledged, so that the next connection can go on exactly where the last one stopped.
// Nothing is kept on a link whose peer doesn't resume.
import type { Clock } from "@fairlead/kernel";
import { type Carrier, FrameWriter, frameTypes, headerBytes, type LinkClosed } from "../wire/index.ts";
import { laneErrors } from "./errors.ts";
import { hasCarrier, type LaneEvent, type LaneState, nextLaneState } from "./lane-state.ts";
import { Liveness } from "./liveness.ts";
import { isNumbered } from "./numbered.ts";
import { Receipts } from "./receipts.ts";
import { RetainedFrames } from "./retained.ts";
import type { RetentionBudget } from "./retention-budget.ts";

export interface LaneLimits {
  readonly pingMs: number;
  readonly deadMs: number;
  /** The time that a lane without a connection waits for the next one. */
  readonly resumeMs: number;
  /** Scheduled data waits while this much is unacknowledged. */
  readonly retainedBytes: number;
}

export interface LaneOptions {
  readonly index: number;
  /** Undefined: the lane isn't there yet. */
  readonly carrier: Carrier | undefined;
  readonly clock: Clock;
  readonly limits: LaneLimits;
  readonly budget: RetentionBudget | undefined;
  /** Something was received that a quiet moment should acknowledge. */
  readonly onOwing: () => void;
  readonly onDead: (lane: Lane, silentMs: number) => void;
  /** Nobody brought the next connection in time. */
  readonly onExpired: (lane: Lane, cause: LinkClosed) => void;
  /** Every few seconds, for as long as there is a connection. */
  readonly onTick?: ((lane: Lane) => void) | undefined;
}

export class Lane {
  readonly index: number;
  readonly writer: FrameWriter;
  readonly liveness: Liveness;
  readonly #options: LaneOptions;
  #state: LaneState;
  #receipts = new Receipts();
  /** Undefined when nothing is kept. */
  #retained: RetainedFrames | undefined = new RetainedFrames();
  #cancelExpiry: (() => void) | undefined;

  constructor(options: LaneOptions) {
    const { index, carrier, clock, limits, onDead, onTick } = options;
    this.#options = options;
    this.index = index;
    this.#state = carrier === undefined ? { is: "absent" } : { is: "up", carrier };
    this.writer = new FrameWriter(this);
    this.liveness = new Liveness({
      clock,
      writer: this.writer,
      pingMs: limits.pingMs,
      deadMs: limits.deadMs,
      isOwed: () => this.retainedBytes > 0,
      onTick: onTick && (() => onTick(this)),
      onDead: (silentMs) => onDead(this, silentMs),
    });
  }

  get state(): LaneState {
    return this.#state;
  }

  /** True when there is a connection, even if it has to catch up. */
  get isUp(): boolean {
    return hasCarrier(this.#state);
  }

  /** Events of an older connection are nobody's any more. */
  isOn(carrier: Carrier): boolean {
    return this.#carrier === carrier;
  }

  /** The number of the last numbered frame that came. */
  get received(): number {
    return this.#receipts.received;
  }

  /** Numbered frames, both ways. */
  get carriedFrames(): number {
    return this.received + (this.#retained?.lastNumber ?? 0);
  }

  get retainedBytes(): number {
    return this.#retained?.sizeBytes ?? 0;
  }

  /** The scheduler adds nothing while this is endless. */
  get bufferedBytes(): number {
    if (this.#state.is !== "up" || this.retainedBytes >= this.#limitBytes()) return Number.POSITIVE_INFINITY;
    return this.#state.carrier.bufferedBytes;
  }

  /** Bytes that the peer leaves unread, or unacknowledged beyond all that is scheduled. */
  get overdueBytes(): number {
    return Math.max(this.#carrier?.bufferedBytes ?? 0, this.retainedBytes - this.#options.limits.retainedBytes);
  }

  send(head: Uint8Array, headBytes: number, payload?: readonly Uint8Array[], payloadBytes = 0): void {
    const retained = this.#retained;
    if (retained === undefined || !isNumbered(head[0])) {
      this.#carrier?.send(head, headBytes, payload, payloadBytes);
      return;
    }
    const before = retained.sizeBytes;
    retained.add(head, headBytes, payload, payloadBytes);
    this.#options.budget?.retain(retained.sizeBytes - before);
    if (this.#state.is !== "up") return;
    retained.markSent();
    this.#state.carrier.send(head, headBytes, payload, payloadBytes);
    if (this.#receipts.isWorthSending) this.acknowledge();
  }

  requestFlush(isBulk?: boolean): void {
    this.#carrier?.requestFlush(isBulk);
  }

  /** Called when there is room. The frames that the last connection took with it go first. */
  catchUp(highWaterBytes: number): void {
    if (this.#state.is !== "replaying") return;
    const { carrier } = this.#state;
    while (carrier.bufferedBytes < highWaterBytes) {
      const frame = this.#retained?.takeUnsent();
      if (frame === undefined) return void this.#enter({ type: "caught-up" });
      carrier.send(frame.head, frame.head.byteLength, frame.payload, frame.payloadBytes);
    }
  }

  /** A frame came; called before anything is done about it. */
  heard(message: Uint8Array): void {
    this.liveness.heard();
    const when = this.#receipts.count(message);
    if (when === undefined || this.#retained === undefined) return;
    if (when === "now") this.acknowledge();
    else this.#options.onOwing();
  }

  /** Tells the peer what it may forget. */
  acknowledge(): void {
    const carrier = this.#carrier;
    if (!this.#receipts.isOwed || carrier === undefined) return;
    this.#receipts.told();
    scratch.writeUInt32BE(Math.floor(this.received / 4_294_967_296), headerBytes);
    scratch.writeUInt32BE(this.received >>> 0, headerBytes + 4);
    carrier.send(scratch, scratch.byteLength);
  }

  /** The peer has all up to this number. Throws when it can't have. */
  receiveAck(number: number): void {
    const retained = this.#retained;
    if (retained === undefined) return;
    // The lower bound counts: other links may have held this lane back, and have let go meanwhile.
    const wasFull = retained.sizeBytes >= Math.min(scarceBytes, this.#options.limits.retainedBytes);
    if (!this.#acknowledged(number)) throw laneErrors.LINK_ACK_INVALID({ number, lastNumber: retained.lastNumber });
    if (wasFull && retained.sizeBytes < this.#limitBytes()) this.#carrier?.requestFlush();
  }

  /** The peer doesn't resume: there is nobody to keep anything for. */
  keepNothing(): void {
    this.#forgetRetained();
    this.#retained = undefined;
  }

  /** This side is about to dial for it. */
  ask(): void {
    this.#enter({ type: "asked" });
  }

  /** Goes on with another connection. False when the peer misses what isn't kept any more: there is no going on. */
  attach(carrier: Carrier, peerReceived: number): boolean {
    if (!this.#acknowledged(peerReceived)) return false;
    this.#carrier?.terminate();
    this.#enter({ type: "attached", carrier });
    // Its RESUME says so.
    this.#receipts.told();
    this.#retained?.rewind();
    carrier.requestFlush();
    return true;
  }

  /** The connection is gone; there will be another one in time, or the lane has expired. */
  lose(cause: LinkClosed): void {
    const { clock, limits, onExpired } = this.#options;
    this.#letGo({ type: "lost", cause });
    this.#cancelExpiry = clock.after(limits.resumeMs, () => onExpired(this, cause));
  }

  /** Nobody needs the connection: closed by us, or found closed by the peer. */
  park(close?: { readonly code: number; readonly text: string }): void {
    this.#letGo({ type: "parked" }, close);
  }

  /** Begins anew, with new numbers. */
  expire(): void {
    this.#enter({ type: "expired" });
    this.#forgetRetained();
    this.#retained = new RetainedFrames();
    this.#receipts = new Receipts();
  }

  /** Closes the lane for good. Without `close` nothing is said to the peer. Pings in flight end in `error`. */
  close(error: unknown, close?: { readonly code: number; readonly text: string }): void {
    this.#letGo({ type: "closed" }, close);
    this.liveness.stop(error);
    this.keepNothing();
  }

  get #carrier(): Carrier | undefined {
    return hasCarrier(this.#state) ? this.#state.carrier : undefined;
  }

  #letGo(event: LaneEvent, close?: { readonly code: number; readonly text: string }): void {
    const carrier = this.#carrier;
    this.#enter(event);
    this.liveness.suspend();
    if (close === undefined) carrier?.terminate();
    else carrier?.close(close.code, close.text);
  }

  #enter(event: LaneEvent): void {
    const before = this.#state;
    this.#state = nextLaneState(before, event);
    if (before.is !== "waiting" || this.#state === before) return;
    this.#cancelExpiry?.();
    this.#cancelExpiry = undefined;
  }

  #acknowledged(number: number): boolean {
    const retained = this.#retained;
    const before = this.retainedBytes;
    if (retained?.acknowledge(number) !== true) return false;
    this.#options.budget?.retain(retained.sizeBytes - before);
    return true;
  }

  #forgetRetained(): void {
    this.#options.budget?.retain(-this.retainedBytes);
    this.#retained?.clear();
  }

  #limitBytes(): number {
    const { budget, limits } = this.#options;
    return budget?.isRetainingMuch ? Math.min(scarceBytes, limits.retainedBytes) : limits.retainedBytes;
  }
}

const scarceBytes = 1_048_576;
/** An ACK, but for its number. */
const scratch = Buffer.alloc(headerBytes + 8);
scratch[0] = frameTypes.ack;
