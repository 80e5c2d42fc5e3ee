// Moves streams that carry bulk to lane 1, and sees to it that the lane is there: from the first bulk on, until nobody
// has used it for a while.
import type { MuxStream } from "../stream/index.ts";
import { closeCodes } from "../wire/index.ts";
import type { StreamTable } from "./stream-table.ts";
import type { Track } from "./track.ts";

export interface BulkOptions {
  readonly main: Track;
  /** Undefined as long as nobody has asked for the lane. */
  readonly track: () => Track | undefined;
  /** The lane, which may be absent yet; undefined when this side takes one lane. */
  readonly open: () => Track | undefined;
  readonly table: StreamTable;
  /** Undefined on the side that doesn't dial. */
  readonly dial: (() => void) | undefined;
  /** True when the peer takes a second lane, and the link can be asked for by name. */
  readonly mayDial: () => boolean;
}

export class Bulk {
  readonly #options: BulkOptions;
  #carriedFrames = 0;
  #idleTicks = 0;

  constructor(options: BulkOptions) {
    this.#options = options;
  }

  /** True when the lane has come about: its frames may be ahead of those on lane 0. */
  get isThere(): boolean {
    const state = this.#options.track()?.lane.state;
    if (state === undefined || state.is === "absent") return false;
    return state.is !== "dialling" || state.from !== "absent";
  }

  /**
   * A stream that sends bulk moves to the bulk lane. Only right before a frame of data: its offset tells the peer what is
   * still on its way on the other lane. A bare END that went first would end what isn't whole.
   */
  makeWay(stream: MuxStream): void {
    const { main } = this.#options;
    const track = this.#options.track();
    if (track === undefined) return void this.ask();
    switch (track.lane.state.is) {
      case "absent":
      case "parked":
        this.ask();
        return;
      case "up":
      case "replaying":
        // A frame there must not reach a peer that hasn't seen the head yet.
        if (stream.way !== main || !stream.outbound.isKnownToPeer) return;
        this.#idleTicks = 0;
        stream.way = track;
        return;
      case "dialling":
      case "waiting":
        return;
    }
  }

  /** The side that dials sees to it that there is a bulk lane. */
  ask(): void {
    const { open, dial, mayDial } = this.#options;
    const lane = dial === undefined || !mayDial() ? undefined : open()?.lane;
    if (lane === undefined || (lane.state.is !== "absent" && lane.state.is !== "parked")) return;
    lane.ask();
    dial?.();
  }

  /** True when something would be lost without the lane. */
  get isNeeded(): boolean {
    const { table } = this.#options;
    const track = this.#options.track();
    if (track === undefined) return false;
    if (track.lane.retainedBytes > 0) return true;
    for (const stream of table.byId.values()) if (stream.way === track) return true;
    return false;
  }

  /**
   * A second connection for what happens now and then would be there for nothing most of the time. Only the side that
   * can't dial closes it: the other one may find at any time that it needs the lane.
   */
  parkIfIdle(): void {
    const { dial } = this.#options;
    const track = this.#options.track();
    if (track === undefined || dial !== undefined) return;
    const { carriedFrames } = track.lane;
    const isIdle = carriedFrames === this.#carriedFrames && !this.isNeeded;
    this.#carriedFrames = carriedFrames;
    this.#idleTicks = isIdle ? this.#idleTicks + 1 : 0;
    if (this.#idleTicks < parkAfterTicks) return;
    this.#idleTicks = 0;
    track.lane.park({ code: closeCodes.idleLane, text: "idle" });
  }
}

/** A tick is five seconds. */
const parkAfterTicks = 12;
