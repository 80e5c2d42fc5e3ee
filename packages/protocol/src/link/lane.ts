// One of a link's connections, as the session sees it: it outlives the socket that carries it at the moment. It counts
// the frames of each direction and keeps what the peer hasn't acknowledged, so that the next socket can go on exactly
// where the last one stopped. On a link whose peer doesn't resume, nothing is kept.
import type { LinkBudget } from "./budget.ts";
import type { Carrier } from "./carrier.ts";
import { acknowledgementInvalid } from "./errors.ts";
import { frameTypes, headerBytes } from "./frame.ts";
import { RetainedFrames } from "./retained.ts";

export interface LaneOptions {
  readonly index: number;
  readonly carrier: Carrier;
  /** Something was received that a quiet moment should acknowledge. */
  readonly ackSoon: () => void;
  /** Scheduled data waits while this much is unacknowledged. */
  readonly retainedBytes: number;
  /** When much of it is kept for peers, each of them may have little. */
  readonly budget: LinkBudget | undefined;
}

export class Lane implements Carrier {
  readonly index: number;
  readonly #ackSoon: () => void;
  readonly #mostBytes: number;
  readonly #budget: LinkBudget | undefined;
  readonly #retained = new RetainedFrames();
  #carrier: Carrier | undefined;
  #isRetaining = true;
  /** Of the socket's first frames: the ones that the last socket took with it. */
  #isReplaying = false;
  #received = 0;
  #acknowledged = 0;
  #unacknowledgedBytes = 0;

  constructor(options: LaneOptions) {
    this.index = options.index;
    this.#carrier = options.carrier;
    this.#ackSoon = options.ackSoon;
    this.#mostBytes = options.retainedBytes;
    this.#budget = options.budget;
  }

  get isUp(): boolean {
    return this.#carrier !== undefined;
  }

  /** Events of an older socket are nobody's any more. */
  isOn(carrier: Carrier): boolean {
    return this.#carrier === carrier;
  }

  /** The number of the last numbered frame that came. */
  get received(): number {
    return this.#received;
  }

  /** Numbered frames, both ways. */
  get carriedFrames(): number {
    return this.#received + this.#retained.lastNumber;
  }

  get retainedBytes(): number {
    return this.#retained.sizeBytes;
  }

  /** As seen by the scheduler: endless where it may not add to what waits. */
  get bufferedBytes(): number {
    if (this.#carrier === undefined || this.#isReplaying) return Number.POSITIVE_INFINITY;
    if (this.#retained.sizeBytes >= this.#limitBytes()) return Number.POSITIVE_INFINITY;
    return this.#carrier.bufferedBytes;
  }

  /** What the peer leaves unread, or unacknowledged beyond all that is scheduled. */
  get overdueBytes(): number {
    return Math.max(this.#carrier?.bufferedBytes ?? 0, this.#retained.sizeBytes - this.#mostBytes);
  }

  send(head: Uint8Array, headBytes: number, payload?: readonly Uint8Array[], payloadBytes = 0): void {
    if (!this.#isRetaining || !isNumbered(head[0])) {
      this.#carrier?.send(head, headBytes, payload, payloadBytes);
      return;
    }
    const before = this.#retained.sizeBytes;
    this.#retained.add(head, headBytes, payload, payloadBytes);
    this.#budget?.retain(this.#retained.sizeBytes - before);
    if (this.#carrier === undefined || this.#isReplaying) return;
    this.#retained.markSent();
    this.#carrier.send(head, headBytes, payload, payloadBytes);
    if (this.#unacknowledgedBytes >= ackAlongBytes) this.acknowledge();
  }

  requestFlush(isBulk?: boolean): void {
    this.#carrier?.requestFlush(isBulk);
  }

  /** There is room: what the last socket took with it goes first. */
  catchUp(highWaterBytes: number): void {
    if (!this.#isReplaying || this.#carrier === undefined) return;
    while (this.#carrier.bufferedBytes < highWaterBytes) {
      if (this.#retained.isAllSent) {
        this.#isReplaying = false;
        return;
      }
      const frame = this.#retained.takeUnsent();
      if (frame) this.#carrier.send(frame.head, frame.head.byteLength, frame.payload, frame.payloadBytes);
    }
  }

  /** A frame came; called before anything is done about it. */
  count(message: Uint8Array): void {
    if (!isNumbered(message[0])) return;
    this.#received++;
    if (!this.#isRetaining) return;
    if (this.#unacknowledgedBytes === 0) this.#ackSoon();
    this.#unacknowledgedBytes += message.byteLength + frameCostBytes;
    if (this.#unacknowledgedBytes >= ackEveryBytes) this.acknowledge();
  }

  /** Tells the peer what it may forget. */
  acknowledge(): void {
    if (this.#acknowledged === this.#received || this.#carrier === undefined) return;
    this.#acknowledged = this.#received;
    this.#unacknowledgedBytes = 0;
    scratch.writeUInt32BE(Math.floor(this.#received / 4_294_967_296), headerBytes);
    scratch.writeUInt32BE(this.#received >>> 0, headerBytes + 4);
    this.#carrier.send(scratch, scratch.byteLength);
  }

  /** The peer has all up to this number. Throws when it can't have. */
  receiveAck(number: number): void {
    if (!this.#isRetaining) return;
    const before = this.#retained.sizeBytes;
    // By the lower bound: what held this lane back may have been other links, which have let go meanwhile.
    const wasFull = before >= Math.min(scarceBytes, this.#mostBytes);
    if (!this.#retained.acknowledge(number)) throw acknowledgementInvalid(number, this.#retained.lastNumber);
    this.#budget?.retain(this.#retained.sizeBytes - before);
    if (wasFull && this.#retained.sizeBytes < this.#limitBytes()) this.#carrier?.requestFlush();
  }

  /** The peer doesn't resume: there is nobody to keep anything for. */
  stopRetaining(): void {
    this.#isRetaining = false;
    this.#budget?.retain(-this.#retained.sizeBytes);
    this.#retained.clear();
  }

  /** Lets go of the socket, if there is one. */
  detach(): void {
    const carrier = this.#carrier;
    this.#carrier = undefined;
    carrier?.terminate();
  }

  /** Lets go of the socket and tells the peer so; the lane may get another one some day. */
  park(code: number, text: string): void {
    const carrier = this.#carrier;
    this.#carrier = undefined;
    carrier?.close(code, text);
  }

  /** Goes on with another socket. False when the peer misses what isn't kept any more: there is no going on. */
  attach(carrier: Carrier, peerReceived: number): boolean {
    const before = this.#retained.sizeBytes;
    if (!this.#retained.acknowledge(peerReceived)) return false;
    this.#budget?.retain(this.#retained.sizeBytes - before);
    this.detach();
    this.#carrier = carrier;
    // The peer has just been told.
    this.#acknowledged = this.#received;
    this.#unacknowledgedBytes = 0;
    this.#retained.rewind();
    this.#isReplaying = true;
    carrier.requestFlush();
    return true;
  }

  close(code: number, text: string): void {
    this.#carrier?.close(code, text);
    this.stopRetaining();
  }

  terminate(): void {
    this.#carrier?.terminate();
    this.stopRetaining();
  }

  #limitBytes(): number {
    return this.#budget?.isRetainingMuch ? Math.min(scarceBytes, this.#mostBytes) : this.#mostBytes;
  }
}

/** Frames that a new connection has its own of. */
function isNumbered(type: number | undefined): boolean {
  return !unnumbered.has(type ?? 0);
}

const unnumbered: ReadonlySet<number> = new Set([
  frameTypes.settings,
  frameTypes.ping,
  frameTypes.pong,
  frameTypes.ack,
  frameTypes.resume,
]);
const scarceBytes = 1_048_576;
const ackEveryBytes = 262_144;
/** With a frame that goes anyway it costs next to nothing. */
const ackAlongBytes = 65_536;
/** Many small frames are worth an acknowledgement too. */
const frameCostBytes = 64;
/** An ACK, but for its number. */
const scratch = Buffer.alloc(headerBytes + 8);
scratch[0] = frameTypes.ack;
