// The mux: a state machine between a carrier below (frames in, frames out) and streams above. It does no I/O, keeps no
// time of its own, and never waits: every input returns when its effects have been handed on.
import { type Clock, type FairleadError, isFairleadError, systemClock, toFairleadError } from "@fairlead/kernel";
import type { LinkBudget } from "./budget.ts";
import { type Carrier, closeCodes } from "./carrier.ts";
import { Chatter } from "./chatter.ts";
import { baseWindowBytes, CreditPool } from "./credit-pool.ts";
import { Deadlines } from "./deadlines.ts";
import {
  creditExceeded,
  linkClosed,
  linkGoingAway,
  linkOverloaded,
  linkResuming,
  noCommonVersion,
  peerNotReading,
  socketFailed,
  tooManyStreams,
} from "./errors.ts";
import { frameTypes, maxDataBytes, readFrame } from "./frame.ts";
import { defaultPeerSettings, formatGoAway, formatSettings, type PeerSettings, protocolVersions } from "./heads.ts";
import { Intake } from "./intake.ts";
import { LaneSet } from "./lane-set.ts";
import { defaultLinkLimits, type LinkLimits } from "./limits.ts";
import type { Places } from "./places.ts";
import { linkLost } from "./reset-errors.ts";
import { collectStats } from "./stats.ts";
import { MuxStream, type StreamHost } from "./stream.ts";
import { StreamTable } from "./stream-table.ts";
import type { Track } from "./track.ts";
import type {
  GoAway,
  Link,
  LinkClosed,
  LinkState,
  LinkStats,
  LinkStream,
  OpenHead,
  ResetCode,
  StreamAcceptor,
  StreamHandlers,
} from "./types.ts";

export interface SessionOptions {
  readonly carrier: Carrier;
  /** The side that dialled opens streams with odd ids, the other with even ones. */
  readonly isDialler: boolean;
  readonly accept: StreamAcceptor;
  readonly limits?: Partial<LinkLimits> | undefined;
  readonly budget?: LinkBudget | undefined;
  readonly peers?: PeerStreams | undefined;
  readonly clock?: Clock | undefined;
  /** How this side goes on when a connection is lost; without it the link ends with its connection. */
  readonly resuming?: ResumingSide | undefined;
}

/** What the streams that the peer opens may take, on this link and others together. */
export interface PeerStreams {
  /** Instead of the link's own. */
  readonly budget: LinkBudget;
  readonly places: Places;
}

/** The side that dialled dials again; the other one waits for whoever knows the session's name. */
export type ResumingSide =
  | { readonly by: "dialling"; readonly dial: (session: Session, lane: number) => void }
  | { readonly by: "waiting"; readonly nameSession: (session: Session) => string };

export class Session implements Link {
  onGoAway: ((message: GoAway) => void) | undefined;
  readonly closed: Promise<LinkClosed>;
  onStateChanged: ((state: LinkState) => void) | undefined;
  readonly #limits: LinkLimits;
  readonly #intake: Intake;
  readonly #clock: Clock;
  readonly #lanes: LaneSet;
  /** Lane 0. */
  readonly #main: Track;
  readonly #resuming: ResumingSide | undefined;
  readonly #host: StreamHost;
  readonly #deadlines: Deadlines;
  readonly #table: StreamTable;
  readonly #resetsByCode: Record<number, number> = {};
  #resolveClosed!: (closed: LinkClosed) => void;
  #isClosed = false;
  #hasGreeted = false;
  #isGoingAway = false;
  #goAwayText: string | undefined;
  #leaving: Promise<void> | undefined;
  #onDrained: (() => void) | undefined;
  #peer: PeerSettings = defaultPeerSettings;
  #creditViolations = 0;
  #receivedFrames = 0;
  #receivedBytes = 0;

  constructor(options: SessionOptions) {
    const { carrier, isDialler, accept, limits, budget, peers, clock = systemClock, resuming } = options;
    this.#limits = { ...defaultLinkLimits, ...limits };
    this.#clock = clock;
    this.#resuming = resuming;
    this.#table = new StreamTable({ isDialler, places: peers?.places });
    this.#lanes = new LaneSet({
      ...{ carrier, clock, limits: this.#limits, budget, table: this.#table },
      dial: resuming?.by === "dialling" ? (lane) => resuming.dial(this, lane) : undefined,
      peerLanes: () => this.#peer.lanes,
      onStateChanged: (state) => this.onStateChanged?.(state),
      // Whatever connection is left has to tell the peer.
      onOver: (cause) => this.#finish(cause, closeCodes.sessionUnknown, "a connection was lost"),
    });
    this.#main = this.#lanes.main;
    if (resuming === undefined) this.#main.lane.stopRetaining();
    this.#host = this.#createHost(budget, peers?.budget ?? budget);
    this.#deadlines = new Deadlines(clock, this.#table.byId);
    this.#intake = new Intake({
      table: this.#table,
      host: this.#host,
      accept,
      maxStreams: this.#limits.streams,
      chatter: new Chatter({ clock, perSecond: this.#limits.chatterPerSecond }),
      isGoingAway: () => this.#isGoingAway,
      onStream: (stream) => this.#add(stream),
      onSettings: (settings) => this.#receiveSettings(settings),
      onGoAway: (message) => {
        this.#isGoingAway = true;
        this.onGoAway?.(message);
      },
    });
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    if (isDialler) this.#greet();
    this.#main.liveness.start();
  }

  get state(): LinkState {
    return this.#main.lane.isUp ? "up" : "resuming";
  }

  get streamCount(): number {
    return this.#table.byId.size;
  }

  /** What the next connection has to name; undefined when there can't be one. */
  get session(): string | undefined {
    return this.#isClosed ? undefined : this.#lanes.resumption.session;
  }

  openStream(open: OpenHead, handlers: StreamHandlers): LinkStream {
    if (this.#isClosed) throw linkClosed();
    if (!this.#main.lane.isUp) throw linkResuming();
    if (this.#isGoingAway) throw linkGoingAway();
    if (this.#table.ownCount >= this.#peer.streams) throw tooManyStreams(this.#peer.streams);
    if (this.#table.isUsedUp) {
      void this.goAway({ reason: "stream ids used up", drainMs: 30_000 });
      throw linkGoingAway();
    }
    const stream = new MuxStream({
      host: this.#host,
      id: this.#table.nextId,
      open,
      isOpener: true,
      creditBytes: baseWindowBytes,
    });
    const { window } = stream.inbound;
    if (!window.start()) throw linkOverloaded();
    window.grow();
    stream.handlers = handlers;
    try {
      stream.request();
    } catch (thrown) {
      window.release();
      throw thrown;
    }
    this.#add(stream);
    return stream;
  }

  ping(options: { readonly signal?: AbortSignal } = {}): Promise<number> {
    return this.#isClosed ? Promise.reject(linkClosed()) : this.#main.liveness.ping(options);
  }

  goAway(message: GoAway): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#leaving ??= this.#leave(message);
    return this.#leaving;
  }

  close(reason: string): void {
    this.#finish({ reason: "closed-by-us" }, closeCodes.normal, reason);
  }

  stats(): LinkStats {
    return collectStats({
      streams: this.#table.byId.values(),
      now: this.#clock.now(),
      bytes: { received: this.#receivedBytes, sent: this.#lanes.sum(({ writer }) => writer.sentBytes) },
      frames: { received: this.#receivedFrames, sent: this.#lanes.sum(({ writer }) => writer.sentFrames) },
      resetsByCode: { ...this.#resetsByCode },
      lastRttMs: this.#main.liveness.lastRttMs,
      retainedBytes: this.#lanes.sum(({ lane }) => lane.retainedBytes),
      resumes: this.#lanes.resumption.count,
    });
  }

  /** Input: one message from the peer. */
  receive(message: Uint8Array, lane = 0): void {
    if (this.#isClosed) return;
    this.#receivedFrames++;
    this.#receivedBytes += message.byteLength;
    const track = this.#lanes.find(lane);
    if (track === undefined) return;
    track.liveness.heard();
    track.lane.count(message);
    try {
      this.#intake.take(readFrame(message), track);
    } catch (thrown) {
      this.violate(toFairleadError(thrown));
    }
    if (track.lane.overdueBytes > maxUnreadBytes) this.violate(peerNotReading(track.lane.overdueBytes));
  }

  /** Input: the carrier has room, or the turn in which something was queued is done. */
  writable(lane = 0): void {
    if (this.#isClosed || !this.#hasGreeted) return;
    const track = this.#lanes.find(lane);
    track?.lane.catchUp(this.#limits.socketHighWaterBytes);
    track?.scheduler.run();
  }

  /** Input: the peer broke the protocol in a way that the carrier noticed. */
  violate(error: FairleadError): void {
    this.#finish({ reason: "violation", error }, violationCode(error), error.code);
  }

  /** Input: the carrier ended. */
  carrierClosed(code: number, text: string, lane = 0): void {
    const closed: LinkClosed = { reason: "closed-by-peer", code, text };
    const track = this.#lanes.find(lane);
    // Whoever closes on purpose says so. What ends without a word was cut on the way.
    if (code === brokenOff) this.#lanes.lose(track, closed);
    else if (code === closeCodes.idleLane && lane > 0 && track && !this.#isClosed) this.#lanes.parked(track, closed);
    else this.#finish(closed);
  }

  carrierFailed(cause: unknown, lane = 0): void {
    const error = isFairleadError(cause) ? cause : socketFailed(cause);
    this.#lanes.lose(this.#lanes.find(lane), { reason: "socket-error", error });
  }

  /** Events of a connection that the lane has left behind mean nothing. */
  isOn(lane: number, carrier: Carrier): boolean {
    return this.#lanes.find(lane)?.lane.isOn(carrier) === true;
  }

  /** The number of the last frame that came on the lane; undefined when there is no such lane yet. */
  receivedOn(lane: number): number | undefined {
    return this.#lanes.find(lane)?.lane.received;
  }

  /**
   * Goes on with another connection, whose peer has all frames up to a number. `greet` sends what must be first on it.
   * False when that can't be: the peer misses what isn't kept, or says that it has what was never sent.
   */
  attach(lane: number, carrier: Carrier, peerReceived: number, greet?: (ourReceived: number) => void): boolean {
    return !this.#isClosed && this.#lanes.attach(lane, carrier, peerReceived, greet);
  }

  /** Whether the link has to end when the lane doesn't come back. */
  isAwaiting(lane: number): boolean {
    const track = this.#lanes.find(lane);
    return track !== undefined && this.#lanes.resumption.isWaiting(track.lane);
  }

  /** No connection will come any more. */
  giveUp(error: FairleadError): void {
    const cause = this.#lanes.resumption.causeOf(this.#main.lane) ?? { reason: "socket-error", error };
    this.#finish(cause, closeCodes.sessionUnknown, error.code);
  }

  #receiveSettings(settings: PeerSettings): void {
    const isCommon = settings.versions.some((version) => protocolVersions.includes(version));
    if (!isCommon) throw noCommonVersion(settings.versions);
    this.#peer = settings;
    if (this.#resuming?.by === "dialling") this.#lanes.resumption.session = settings.session;
    if (!this.#hasGreeted) this.#greet();
    if (this.#lanes.resumption.session === undefined) this.#main.lane.stopRetaining();
  }

  /**
   * The dialler speaks first and the other side says nothing before: a dialler that puts its link on the socket a little
   * after it opened has missed nothing.
   */
  #greet(): void {
    this.#hasGreeted = true;
    const resume = this.#resuming !== undefined;
    if (this.#resuming?.by === "waiting" && this.#peer.resume) {
      this.#lanes.resumption.session ??= this.#resuming.nameSession(this);
    }
    const { session } = this.#lanes.resumption;
    const { streams, lanes } = this.#limits;
    const settings = { versions: protocolVersions, streams, resume, session, lanes };
    this.#main.writer.json(frameTypes.settings, 0, false, formatSettings(settings));
    this.#main.liveness.greeted();
    this.#sendGoAway();
    this.#main.lane.requestFlush();
  }

  async #leave(message: GoAway): Promise<void> {
    const startedAt = this.#clock.now();
    const isIdle = this.#table.byId.size === 0;
    this.#isGoingAway = true;
    this.#goAwayText = formatGoAway(message);
    this.#sendGoAway();
    await new Promise<void>((resolve) => {
      const cancel = this.#clock.after(message.drainMs, resolve);
      this.#onDrained = () => {
        cancel();
        resolve();
      };
      if (this.#table.byId.size === 0) this.#onDrained();
    });
    // With nothing but our goodbye to bring, nobody has to wait for a connection.
    await this.#lanes.untilAcknowledged({ cutMs: isIdle ? 0 : startedAt + message.drainMs - this.#clock.now() });
    this.#finish({ reason: "closed-by-us" }, closeCodes.goingAway, message.reason);
  }

  #sendGoAway(): void {
    if (!this.#hasGreeted || this.#goAwayText === undefined) return;
    // What was opened before must not arrive behind it, or it would be refused.
    this.#main.scheduler.run();
    this.#main.writer.json(frameTypes.goAway, 0, false, this.#goAwayText);
    this.#goAwayText = undefined;
  }

  #add(stream: MuxStream): void {
    this.#table.add(stream);
    this.#deadlines.watch(stream);
  }

  #countReset(code: ResetCode): void {
    this.#resetsByCode[code] = (this.#resetsByCode[code] ?? 0) + 1;
  }

  #createHost(budget: LinkBudget | undefined, peerBudget: LinkBudget | undefined): StreamHost {
    return {
      writer: this.#main.writer,
      pool: new CreditPool(this.#limits.linkCreditBytes, budget),
      peerPool: new CreditPool(this.#limits.peerCreditBytes, peerBudget),
      frameBytes: Math.min(this.#limits.frameBytes, maxDataBytes),
      tuning: {
        now: () => this.#clock.now(),
        rttMs: () => this.#main.liveness.freshRttMs(),
        windowBytes: this.#limits.windowBytes,
        maxWindowBytes: Math.max(this.#limits.maxWindowBytes, this.#limits.windowBytes),
        learned: { bytes: 0, at: 0 },
      },
      now: () => this.#clock.now(),
      queueHead: (stream) => this.#main.scheduler.queueHead(stream),
      scheduler: this.#main.scheduler,
      bulkAfterBytes: this.#limits.bulkAfterBytes,
      mayComeEarly: () => this.#lanes.hasBulk,
      sendsBulk: (stream) => this.#lanes.makeWay(stream),
      receivesBulk: () => this.#lanes.askForBulk(),
      endWithin: (stream, ms) => this.#deadlines.endWithin(stream, ms),
      over: (stream) => this.#forget(stream),
      countReset: (code) => this.#countReset(code),
      countCreditViolation: () => {
        this.#creditViolations++;
        if (this.#creditViolations > maxCreditViolations) this.violate(creditExceeded(this.#creditViolations));
      },
    };
  }

  #forget(stream: MuxStream): void {
    if (this.#table.remove(stream) && this.#table.byId.size === 0) this.#onDrained?.();
  }

  #finish(closed: LinkClosed, code?: number, text = ""): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#deadlines.stop();
    const lost = linkLost(closed);
    for (const stream of [...this.#table.byId.values()]) stream.lose(lost);
    this.#onDrained?.();
    this.#lanes.close(linkClosed(), code, text);
    this.#resolveClosed(closed);
  }
}

function violationCode(error: FairleadError): number {
  return error.code === "LINK_NO_COMMON_VERSION" ? closeCodes.noCommonVersion : closeCodes.violation;
}

/** What `ws` says of a connection that ended without a closing frame (RFC 6455 §7.1.5). */
const brokenOff = 1006;
/** A peer that oversends now and then loses those streams; one that goes on loses the link. */
const maxCreditViolations = 16;
/** Control frames are never held back, so a peer that asks and doesn't read would make them pile up. */
const maxUnreadBytes = 33_554_432;
