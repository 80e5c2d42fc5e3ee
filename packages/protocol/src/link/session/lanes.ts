// The lanes of one link: lane 0 for everything, and lane 1 for bulk. Each is lost and found again by itself. The link is
// as good as lane 0; without lane 1 it is what it was before there was one.
import type { Clock } from "@fairlead/kernel";
import { Lane } from "../lane/index.ts";
import type { Carrier, LinkClosed } from "../wire/index.ts";
import type { LinkBudget } from "./budget.ts";
import { Bulk } from "./bulk.ts";
import type { LinkLimits } from "./limits.ts";
import type { StreamTable } from "./stream-table.ts";
import { createTrack, type Track } from "./track.ts";
import type { LinkState } from "./types.ts";

export interface LanesOptions {
  /** The connection of lane 0. */
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

export class Lanes {
  readonly main: Track;
  readonly bulk: Bulk;
  /** The link's name for its next connection; undefined unless both sides can resume. */
  session: string | undefined;
  /** Counts how often a lane went on with another connection. */
  resumes = 0;
  readonly #options: LanesOptions;
  /** Lane 1. Most links never have one, and needn't pay for it. */
  #second: Track | undefined;
  #cancelAck: (() => void) | undefined;

  constructor(options: LanesOptions) {
    const { carrier, table, dial, peerLanes } = options;
    this.#options = options;
    this.main = this.#createTrack(0, carrier);
    this.bulk = new Bulk({
      main: this.main,
      table,
      track: () => this.#second,
      open: () => this.#open(1),
      dial: dial && (() => dial(1)),
      mayDial: () => this.session !== undefined && peerLanes() >= 2,
    });
  }

  find(index: number): Track | undefined {
    return index === 0 ? this.main : index === 1 ? this.#second : undefined;
  }

  sum(pick: (track: Track) => number): number {
    return this.#all().reduce((total, track) => total + pick(track), 0);
  }

  lose({ lane }: Track, cause: LinkClosed): void {
    if (!lane.isUp) return;
    const { onOver, onStateChanged, dial } = this.#options;
    lane.lose(cause);
    if (this.session === undefined) {
      onOver(cause);
      return;
    }
    if (lane === this.main.lane) onStateChanged("resuming");
    dial?.(lane.index);
  }

  attach(index: number, carrier: Carrier, peerReceived: number, greet?: (ourReceived: number) => void): boolean {
    const lane = this.session === undefined ? undefined : this.#open(index)?.lane;
    if (lane === undefined) return false;
    const before = lane.state.is;
    const hadConnection = lane.isUp;
    if (!lane.attach(carrier, peerReceived)) return false;
    greet?.(lane.received);
    if (hadConnection || before === "waiting") this.resumes++;
    lane.liveness.restart();
    if (before === "waiting" && lane === this.main.lane) this.#options.onStateChanged("up");
    return true;
  }

  /** The other side has closed a lane that it doesn't need. The side that needs it dials it again. */
  parkedByPeer({ lane }: Track, cause: LinkClosed): void {
    if (!lane.isUp) return;
    if (!this.bulk.isNeeded) {
      lane.park();
      return;
    }
    lane.lose(cause);
    this.#options.dial?.(lane.index);
  }

  /**
   * The last words of a stream may be on the way on another lane than the one that says goodbye, or wait for the next
   * connection, for which there is more time.
   */
  async untilAcknowledged(options: { readonly cutMs: number }): Promise<void> {
    const { clock } = this.#options;
    let upMs = 0;
    for (let waitedMs = 0; ; waitedMs += ackDelayMs) {
      const owing = this.#all().filter(({ lane }) => lane.retainedBytes > 0);
      const isCut = owing.some(({ lane }) => lane.state.is === "waiting");
      upMs = isCut && waitedMs < options.cutMs ? 0 : upMs + ackDelayMs;
      if (owing.length === 0 || upMs > lastWordsMs) return;
      await new Promise<void>((resolve) => void clock.after(ackDelayMs, resolve));
    }
  }

  /** Closes them for good. Without `close` nothing is said to the peer. */
  close(error: unknown, close?: { readonly code: number; readonly text: string }): void {
    this.#cancelAck?.();
    this.session = undefined;
    for (const { lane, scheduler } of this.#all()) {
      scheduler.clear();
      lane.close(error, close);
    }
  }

  #all(): readonly Track[] {
    return this.#second === undefined ? [this.main] : [this.main, this.#second];
  }

  /** Undefined for a lane that this side doesn't take. */
  #open(index: number): Track | undefined {
    if (index === 1 && this.#options.limits.lanes >= 2) this.#second ??= this.#createTrack(1, undefined);
    return this.find(index);
  }

  #createTrack(index: number, carrier: Carrier | undefined): Track {
    const { clock, limits, budget } = this.#options;
    const lane = new Lane({
      index,
      carrier,
      clock,
      limits,
      budget,
      onOwing: () => this.#acknowledgeSoon(),
      onDead: (_, silentMs) => this.lose(track, { reason: "dead-peer", silentMs }),
      onExpired: (_, cause) => this.#expire(track, cause),
      onTick: index === 1 ? () => this.bulk.parkIfIdle() : undefined,
    });
    const track = createTrack(lane, limits.socketHighWaterBytes);
    return track;
  }

  /** A single timer serves all lanes, and none runs on a link on which nothing happens. */
  #acknowledgeSoon(): void {
    this.#cancelAck ??= this.#options.clock.after(ackDelayMs, () => {
      this.#cancelAck = undefined;
      for (const { lane } of this.#all()) lane.acknowledge();
    });
  }

  /** A bulk lane that nobody uses may go; with anything else, something would be lost. */
  #expire(track: Track, cause: LinkClosed): void {
    if (track === this.main || this.bulk.isNeeded) this.#options.onOver(cause);
    else track.lane.expire();
  }
}

const ackDelayMs = 75;
const lastWordsMs = 1_500;
