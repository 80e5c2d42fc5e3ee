// The mux: a state machine between connections below (frames in, frames out) and streams above. It does no I/O, keeps no
// time of its own, and never waits: every input returns when its effects have been handed on.
import { type Clock, type FairleadError, isFairleadError, systemClock, toFairleadError } from "@fairlead/kernel";
import { type LinkStream, linkLost, type StreamAcceptor, type StreamHandlers } from "../stream/index.ts";
import {
  type Carrier,
  closeCodes,
  type GoAway,
  type LinkClosed,
  type OpenHead,
  readFrame,
  type WholeHead,
  wireErrors,
} from "../wire/index.ts";
import type { LinkBudget } from "./budget.ts";
import { Chatter } from "./chatter.ts";
import { Conversation } from "./conversation.ts";
import { sessionErrors } from "./errors.ts";
import { Intake } from "./intake.ts";
import { Lanes } from "./lanes.ts";
import { defaultLinkLimits, type LinkLimits } from "./limits.ts";
import type { Slots } from "./slots.ts";
import { collectStats } from "./stats.ts";
import type { BudgetOf } from "./stream-maker.ts";
import { StreamTable } from "./stream-table.ts";
import { Streams } from "./streams.ts";
import type { Link, LinkState, LinkStats } from "./types.ts";

export interface SessionOptions {
  readonly carrier: Carrier;
  /** The side that dialled opens streams with odd ids, the other with even ones. */
  readonly isDialler: boolean;
  readonly accept: StreamAcceptor;
  readonly limits?: Partial<LinkLimits> | undefined;
  readonly budget?: LinkBudget | undefined;
  readonly budgetOf?: BudgetOf | undefined;
  readonly peers?: PeerStreams | undefined;
  readonly clock?: Clock | undefined;
  /** The means to go on when a connection is lost. Without it the link ends with its connection. */
  readonly resuming?: ResumingSide | undefined;
}

/** Bounds the streams that the peer opens, on this link and others together. */
export interface PeerStreams {
  /** Takes the place of the link's own. */
  readonly budget: LinkBudget;
  readonly places: Slots;
}

/** The side that dialled dials again; the other one waits for whoever knows the session's name. */
export type ResumingSide =
  | { readonly by: "dialling"; readonly dial: (session: Session, lane: number) => void }
  | { readonly by: "waiting"; readonly nameSession: (session: Session) => string };

export class Session implements Link {
  onGoAway: ((message: GoAway) => void) | undefined;
  readonly closed: Promise<LinkClosed>;
  onStateChanged: ((state: LinkState) => void) | undefined;
  onPeerTime: ((peerMs: number) => void) | undefined;
  readonly #limits: LinkLimits;
  readonly #clock: Clock;
  readonly #lanes: Lanes;
  readonly #talk: Conversation;
  readonly #streams: Streams;
  readonly #intake: Intake;
  readonly #readHead: WholeHead;
  #resolveClosed!: (closed: LinkClosed) => void;

  constructor(options: SessionOptions) {
    const { carrier, isDialler, accept, budget, budgetOf, peers, clock = systemClock, resuming } = options;
    const limits = { ...defaultLinkLimits, ...options.limits };
    this.#limits = limits;
    this.#clock = clock;
    const table = new StreamTable({ isDialler, places: peers?.places });
    this.#lanes = new Lanes({
      carrier,
      clock,
      limits,
      budget,
      table,
      dial: resuming?.by === "dialling" ? (lane) => resuming.dial(this, lane) : undefined,
      peerLanes: () => this.#talk.peer.lanes,
      onStateChanged: (state) => this.onStateChanged?.(state),
      // A connection that is left has to tell the peer.
      onOver: (cause) => this.#end(cause, closeCodes.sessionUnknown, "a connection was lost"),
    });
    const { main } = this.#lanes;
    if (resuming === undefined) main.lane.keepNothing();
    this.#streams = new Streams({
      table,
      lanes: this.#lanes,
      limits,
      clock,
      budget,
      budgetOf,
      peerBudget: peers?.budget ?? budget,
      peerHeadBytes: () => this.#talk.peer.headBytes,
      onEmpty: () => this.#talk.leaving?.ours?.drain(),
      onViolation: (error) => this.violate(error),
    });
    const { byId } = table;
    const { heads } = this.#streams;
    this.#readHead = (stream, bytes) => heads.read(stream, bytes);
    this.#talk = new Conversation({
      lanes: this.#lanes,
      limits,
      clock,
      isIdle: () => byId.size === 0,
      resuming: resuming && { nameLink: resuming.by === "waiting" ? () => resuming.nameSession(this) : undefined },
      onLeft: ({ reason }) => this.#end({ reason: "closed-by-us" }, closeCodes.goingAway, reason),
    });
    this.#intake = new Intake({
      streams: this.#streams,
      accept,
      maxStreams: limits.streams,
      writer: main.writer,
      chatter: new Chatter({ clock, perSecond: limits.chatterPerSecond }),
      isLeaving: () => this.#talk.leaving !== undefined,
      onSettings: (settings) => this.#talk.receiveSettings(settings),
      onGoAway: (message) => {
        this.#talk.receiveGoAway();
        this.#streams.takeBackLargeHeads();
        this.onGoAway?.(message);
      },
      onTime: (peerMs) => this.onPeerTime?.(peerMs),
    });
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    if (isDialler) this.#talk.greet();
    main.lane.liveness.start();
  }

  get state(): LinkState {
    return this.#lanes.main.lane.isUp ? "up" : "resuming";
  }

  get streamCount(): number {
    return this.#streams.table.byId.size;
  }

  /** The name that the next connection has to know; undefined when there can't be one. */
  get session(): string | undefined {
    return this.#lanes.session;
  }

  openStream(open: OpenHead, handlers: StreamHandlers): LinkStream {
    if (this.#isClosed) throw sessionErrors.LINK_CLOSED();
    if (!this.#lanes.main.lane.isUp) throw sessionErrors.LINK_RESUMING();
    if (this.#talk.leaving !== undefined) throw sessionErrors.LINK_GOING_AWAY();
    const { streams: limit } = this.#talk.peer;
    if (this.#streams.table.ownCount >= limit) throw sessionErrors.LINK_TOO_MANY_STREAMS({ limit });
    if (this.#streams.table.isUsedUp) {
      void this.goAway({ reason: "stream ids used up", drainMs: 30_000 });
      throw sessionErrors.LINK_GOING_AWAY();
    }
    return this.#streams.open(open, handlers);
  }

  ping(options: { readonly signal?: AbortSignal } = {}): Promise<number> {
    return this.#isClosed ? Promise.reject(sessionErrors.LINK_CLOSED()) : this.#lanes.main.lane.liveness.ping(options);
  }

  goAway(message: GoAway): Promise<void> {
    return this.#isClosed ? Promise.resolve() : this.#talk.goAway(message);
  }

  close(reason: string): void {
    this.#end({ reason: "closed-by-us" }, closeCodes.normal, reason);
  }

  stats(): LinkStats {
    const { resetsByCode, receivedBytes, receivedFrames } = this.#streams.tally;
    return collectStats({
      streams: this.#streams.table.byId.values(),
      now: this.#clock.steadyMs(),
      bytes: { received: receivedBytes, sent: this.#lanes.sum(({ writer }) => writer.sentBytes) },
      frames: { received: receivedFrames, sent: this.#lanes.sum(({ writer }) => writer.sentFrames) },
      resetsByCode: { ...resetsByCode },
      lastRttMs: this.#lanes.main.lane.liveness.lastRttMs,
      retainedBytes: this.#lanes.sum(({ lane }) => lane.retainedBytes),
      resumes: this.#lanes.resumes,
    });
  }

  /** Input: one message from the peer. */
  receive(message: Uint8Array, index = 0): void {
    if (this.#isClosed) return;
    this.#streams.tally.countFrame(message);
    const lane = this.#lanes.find(index)?.lane;
    if (lane === undefined) return;
    lane.heard(message);
    try {
      this.#intake.take(readFrame(message, this.#readHead), lane);
    } catch (thrown) {
      this.violate(toFairleadError(thrown));
    }
    if (lane.overdueBytes > mostUnreadBytes)
      this.violate(sessionErrors.LINK_PEER_NOT_READING({ bufferedBytes: lane.overdueBytes }));
  }

  /** Input: the carrier has room, or the turn in which something was queued is done. */
  writable(index = 0): void {
    const { state } = this.#talk;
    if (state === "closed" || state === "greeting") return;
    const track = this.#lanes.find(index);
    track?.lane.catchUp(this.#limits.socketHighWaterBytes);
    track?.scheduler.run();
  }

  /** Input: the peer broke the protocol in a way that the carrier noticed. */
  violate(error: FairleadError): void {
    const code = sessionErrors.is(error, "LINK_NO_COMMON_VERSION") ? closeCodes.noCommonVersion : closeCodes.violation;
    this.#end({ reason: "violation", error }, code, error.code);
  }

  /** Input: the carrier ended. */
  carrierClosed(code: number, text: string, index = 0): void {
    const closed: LinkClosed = { reason: "closed-by-peer", code, text };
    const track = this.#lanes.find(index);
    // A peer that closes on purpose says so. A connection that ends without a word was cut on the way.
    if (code === brokenOff) this.#lose(index, closed);
    else if (code === closeCodes.idleLane && index > 0 && track) this.#lanes.parkedByPeer(track, closed);
    else this.#end(closed);
  }

  carrierFailed(cause: unknown, index = 0): void {
    const error = isFairleadError(cause) ? cause : wireErrors.LINK_SOCKET_FAILED({ cause });
    this.#lose(index, { reason: "socket-error", error });
  }

  /** Events of a connection that the lane has left behind mean nothing. */
  isOn(index: number, carrier: Carrier): boolean {
    return this.#lanes.find(index)?.lane.isOn(carrier) === true;
  }

  /** The number of the last frame that came on the lane. */
  receivedOn(index: number): number {
    return this.#lanes.find(index)?.lane.received ?? 0;
  }

  /** True when the lane has been there before. */
  has(index: number): boolean {
    return index === 0 || (index === 1 && this.#lanes.bulk.isThere);
  }

  /**
   * Goes on with another connection, whose peer has all frames up to a number. `greet` sends what must be first on it.
   * False when that can't be: the peer misses what isn't kept, or says that it has what was never sent.
   */
  attach(index: number, carrier: Carrier, peerReceived: number, greet?: (ourReceived: number) => void): boolean {
    return this.#lanes.attach(index, carrier, peerReceived, greet);
  }

  /** True when the link has to end if the lane doesn't come back. */
  isAwaiting(index: number): boolean {
    return this.#lanes.find(index)?.lane.state.is === "waiting";
  }

  /** No connection will come any more. */
  giveUp(error: FairleadError): void {
    const { state } = this.#lanes.main.lane;
    const cause: LinkClosed = state.is === "waiting" ? state.cause : { reason: "socket-error", error };
    this.#end(cause, closeCodes.sessionUnknown, error.code);
  }

  get #isClosed(): boolean {
    return this.#talk.state === "closed";
  }

  #lose(index: number, cause: LinkClosed): void {
    const track = this.#lanes.find(index);
    if (track) this.#lanes.lose(track, cause);
  }

  #end(closed: LinkClosed, code?: number, text = ""): void {
    if (this.#isClosed) return;
    const ours = this.#talk.leaving?.ours;
    this.#talk.end(closed);
    this.#streams.lose(linkLost(closed));
    ours?.drain();
    this.#lanes.close(sessionErrors.LINK_CLOSED(), code === undefined ? undefined : { code, text });
    this.#resolveClosed(closed);
  }
}

/** `ws` says so of a connection that ended without a closing frame (RFC 6455 §7.1.5). */
const brokenOff = 1006;
/** Control frames are never held back, so a peer that asks and doesn't read would make them pile up. */
const mostUnreadBytes = 33_554_432;
