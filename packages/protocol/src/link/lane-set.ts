// The connections of one link: lane 0 for everything, and lane 1 for bulk from the first bulk on. Each is lost and found
// again by itself. The link is as good as lane 0; without lane 1 it is what it was before there was one.
import type { Clock } from "@fairlead/kernel";
import type { LinkBudget } from "./budget.ts";
import { type Carrier, closeCodes } from "./carrier.ts";
import type { Lane } from "./lane.ts";
import type { LinkLimits } from "./limits.ts";
import { Resumption } from "./resumption.ts";
import type { MuxStream } from "./stream.ts";
import type { StreamTable } from "./stream-table.ts";
import { createTrack, type Track } from "./track.ts";
import type { LinkClosed, LinkState } from "./types.ts";

export interface LaneSetOptions {
  /** Of lane 0. */
  readonly carrier: Carrier;
  readonly clock: Clock;
  readonly limits: LinkLimits;
  readonly budget: LinkBudget | undefined;
  readonly table: StreamTable;
  /** Asks for a connection; undefined on the side that waits for it, or when the link ends with its connection. */
  readonly dial: ((lane: number) => void) | undefined;
  readonly peerLanes: () => number;
  readonly onStateChanged: (state: LinkState) => void;
  /** The link can't go on. */
  readonly onOver: (cause: LinkClosed) => void;
}

export class LaneSet {
  readonly main: Track;
  readonly resumption: Resumption;
  readonly #options: LaneSetOptions;
  #bulk: Track | undefined;
  #hasAskedForBulk = false;
  #carriedFrames = 0;
  #idleTicks = 0;
  #cancelAck: (() => void) | undefined;

  constructor(options: LaneSetOptions) {
    const { clock, limits } = options;
    this.#options = options;
    this.main = this.#createTrack(0, options.carrier);
    const onExpired = (lane: Lane, cause: LinkClosed): void => this.#expire(lane, cause);
    this.resumption = new Resumption({ clock, resumeMs: limits.resumeMs, onExpired });
  }

  get hasBulk(): boolean {
    return this.#bulk !== undefined;
  }

  find(lane: number): Track | undefined {
    return lane === 0 ? this.main : lane === 1 ? this.#bulk : undefined;
  }

  all(): readonly Track[] {
    return this.#bulk === undefined ? [this.main] : [this.main, this.#bulk];
  }

  sum(pick: (track: Track) => number): number {
    return this.all().reduce((total, track) => total + pick(track), 0);
  }

  lose(track: Track | undefined, cause: LinkClosed): void {
    if (!track?.lane.isUp) return;
    const { onOver, onStateChanged, dial } = this.#options;
    const canResume = this.resumption.session !== undefined;
    // Without a word: it is dead, or has said goodbye itself.
    track.lane.detach();
    if (!canResume) {
      onOver(cause);
      return;
    }
    track.liveness.suspend();
    this.resumption.wait(track.lane, cause);
    if (track === this.main) onStateChanged("resuming");
    dial?.(track.lane.index);
  }

  attach(lane: number, carrier: Carrier, peerReceived: number, greet?: (ourReceived: number) => void): boolean {
    if (this.resumption.session === undefined) return false;
    const track = this.find(lane);
    if (track === undefined) return this.#join(lane, carrier, peerReceived, greet);
    const wasUp = track.lane.isUp;
    if (!track.lane.attach(carrier, peerReceived)) return false;
    greet?.(track.lane.received);
    const wasWaiting = this.resumption.isWaiting(track.lane);
    if (wasWaiting || wasUp) this.resumption.resumed(track.lane);
    track.liveness.restart();
    if (wasWaiting && track === this.main) this.#options.onStateChanged("up");
    return true;
  }

  /** The other side has closed a lane that it doesn't need. Whoever does dials it again. */
  parked(track: Track, cause: LinkClosed): void {
    const { lane, liveness } = track;
    lane.detach();
    liveness.suspend();
    this.#hasAskedForBulk = false;
    if (lane.retainedBytes === 0 && !this.#isUsed(track)) return;
    this.resumption.wait(lane, cause);
    this.#options.dial?.(lane.index);
  }

  /**
   * A stream that sends bulk goes to the bulk lane. Only right before a frame of data: its offset tells the peer what is
   * still on its way on the other lane. A bare END that went first would end what isn't whole.
   */
  makeWay(stream: MuxStream): void {
    const { outbound } = stream;
    const { bulkAfterBytes } = this.#options.limits;
    if (this.#bulk === undefined || this.#isParked(this.#bulk)) this.askForBulk();
    else if (stream.scheduler === this.main.scheduler && outbound.sentBytes >= bulkAfterBytes) {
      // What travels there must not meet a peer that hasn't seen the head yet.
      if (!outbound.isKnownToPeer || !this.#bulk.lane.isUp) return;
      this.#idleTicks = 0;
      stream.scheduler = this.#bulk.scheduler;
      outbound.writer = this.#bulk.writer;
    }
  }

  /** The side that dials sees to it that there is a bulk lane. */
  askForBulk(): void {
    const { dial, limits, peerLanes } = this.#options;
    if (this.#hasAskedForBulk || (this.#bulk !== undefined && !this.#isParked(this.#bulk))) return;
    if (dial === undefined || this.resumption.session === undefined) return;
    if (limits.lanes < 2 || peerLanes() < 2) return;
    this.#hasAskedForBulk = true;
    dial(1);
  }

  /**
   * The last words of a stream may be on the way on another lane than the one that says goodbye, or wait for the next
   * connection, for which there is more time.
   */
  async untilAcknowledged(options: { readonly cutMs: number }): Promise<void> {
    const { clock } = this.#options;
    let upMs = 0;
    for (let waitedMs = 0; ; waitedMs += ackDelayMs) {
      const owing = this.all().filter(({ lane }) => lane.retainedBytes > 0);
      const isCut = owing.some(({ lane }) => this.resumption.isWaiting(lane));
      upMs = isCut && waitedMs < options.cutMs ? 0 : upMs + ackDelayMs;
      if (owing.length === 0 || upMs > lastWordsMs) return;
      await new Promise<void>((resolve) => void clock.after(ackDelayMs, resolve));
    }
  }

  /** For good. Without a code nothing is said to the peer. */
  close(error: unknown, code: number | undefined, text: string): void {
    this.#cancelAck?.();
    this.resumption.stop();
    this.resumption.session = undefined;
    for (const { lane, liveness, scheduler } of this.all()) {
      liveness.stop(error);
      scheduler.clear();
      if (code === undefined) lane.terminate();
      else lane.close(code, text);
    }
  }

  #createTrack(index: number, carrier: Carrier): Track {
    const { clock, limits, budget } = this.#options;
    const track: Track = createTrack({
      ...{ index, carrier, clock, limits, budget },
      ackSoon: () => this.#ackSoon(),
      // Only the side that can't dial: the other one may find at any time that it needs the lane.
      onTick: index === 1 && this.#options.dial === undefined ? () => this.#parkIdle(track) : undefined,
      onDead: (silentMs) => this.lose(track, { reason: "dead-peer", silentMs }),
    });
    return track;
  }

  /** One timer for all lanes, and none on a link on which nothing happens. */
  #ackSoon(): void {
    this.#cancelAck ??= this.#options.clock.after(ackDelayMs, () => {
      this.#cancelAck = undefined;
      for (const { lane } of this.all()) lane.acknowledge();
    });
  }

  /** The bulk lane comes about. */
  #join(
    lane: number,
    carrier: Carrier,
    peerReceived: number,
    greet: ((received: number) => void) | undefined,
  ): boolean {
    if (lane !== 1 || this.#options.limits.lanes < 2 || peerReceived !== 0) return false;
    this.#bulk = this.#createTrack(lane, carrier);
    greet?.(0);
    this.#bulk.liveness.restart();
    return true;
  }

  /** A bulk lane that nobody uses may go; with anything else, something would be lost. */
  #expire(lane: Lane, cause: LinkClosed): void {
    const bulk = this.#bulk;
    if (lane !== bulk?.lane || lane.retainedBytes > 0 || this.#isUsed(bulk)) {
      this.#options.onOver(cause);
      return;
    }
    this.#bulk = undefined;
    this.#hasAskedForBulk = false;
  }

  #isParked({ lane }: Track): boolean {
    return !lane.isUp && !this.resumption.isWaiting(lane);
  }

  /** A second connection for what happens now and then would be there for nothing most of the time. */
  #parkIdle(track: Track): void {
    const { lane, liveness } = track;
    const isIdle = lane.carriedFrames === this.#carriedFrames && lane.retainedBytes === 0 && !this.#isUsed(track);
    this.#carriedFrames = lane.carriedFrames;
    this.#idleTicks = isIdle ? this.#idleTicks + 1 : 0;
    if (this.#idleTicks < parkAfterTicks) return;
    this.#idleTicks = 0;
    lane.park(closeCodes.idleLane, "idle");
    liveness.suspend();
  }

  #isUsed({ scheduler }: Track): boolean {
    for (const stream of this.#options.table.byId.values()) if (stream.scheduler === scheduler) return true;
    return false;
  }
}

const ackDelayMs = 75;
/** Of five seconds each. */
const parkAfterTicks = 12;
const lastWordsMs = 1_500;
