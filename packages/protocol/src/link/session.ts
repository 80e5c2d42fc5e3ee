// The mux: a state machine between a carrier below (frames in, frames out) and streams above. It does no I/O, keeps no
// time of its own, and never waits: every input returns when its effects have been handed on.
import { type Clock, type FairleadError, isFairleadError, systemClock, toFairleadError } from "@fairlead/kernel";
import type { LinkBudget } from "./budget.ts";
import { type Carrier, closeCodes } from "./carrier.ts";
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
import { defaultLinkLimits, type LinkLimits } from "./limits.ts";
import { linkLost } from "./reset-errors.ts";
import { Resumption } from "./resumption.ts";
import { collectStats } from "./stats.ts";
import { MuxStream, type StreamHost } from "./stream.ts";
import { StreamTable } from "./stream-table.ts";
import { createTrack, type Track } from "./track.ts";
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
  readonly clock?: Clock | undefined;
  /** How this side goes on when a connection is lost; without it the link ends with its connection. */
  readonly resuming?: ResumingSide | undefined;
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
  /** Lane 0: heads, control and whatever isn't bulk. The link is as good as its connection. */
  readonly #main: Track;
  readonly #resuming: ResumingSide | undefined;
  readonly #resumption: Resumption;
  readonly #pool: CreditPool;
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
  #cancelAck: (() => void) | undefined;
  #creditViolations = 0;
  #receivedFrames = 0;
  #receivedBytes = 0;

  constructor(options: SessionOptions) {
    const { carrier, isDialler, accept, limits, budget, clock = systemClock, resuming } = options;
    this.#limits = { ...defaultLinkLimits, ...limits };
    this.#clock = clock;
    this.#resuming = resuming;
    this.#table = new StreamTable({ isDialler });
    this.#main = this.#createTrack(0, carrier);
    if (resuming === undefined) this.#main.lane.stopRetaining();
    this.#pool = new CreditPool(this.#limits.linkCreditBytes, budget);
    this.#host = this.#createHost();
    this.#deadlines = new Deadlines(clock, this.#table.byId);
    const { resumeMs } = this.#limits;
    this.#resumption = new Resumption({ clock, resumeMs, onExpired: (cause) => this.#finish(cause) });
    this.#intake = new Intake({
      table: this.#table,
      host: this.#host,
      accept,
      maxStreams: this.#limits.streams,
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
    return this.#isClosed ? undefined : this.#resumption.session;
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
      bytes: { received: this.#receivedBytes, sent: this.#main.writer.sentBytes },
      frames: { received: this.#receivedFrames, sent: this.#main.writer.sentFrames },
      resetsByCode: { ...this.#resetsByCode },
      lastRttMs: this.#main.liveness.lastRttMs,
      retainedBytes: this.#main.lane.retainedBytes,
      resumes: this.#resumption.count,
    });
  }

  /** Input: one message from the peer. */
  receive(message: Uint8Array, lane = 0): void {
    if (this.#isClosed) return;
    this.#receivedFrames++;
    this.#receivedBytes += message.byteLength;
    const track = this.#track(lane);
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
    const track = this.#track(lane);
    track.lane.catchUp(this.#limits.socketHighWaterBytes);
    track.scheduler.run();
  }

  /** Input: the peer broke the protocol in a way that the carrier noticed. */
  violate(error: FairleadError): void {
    this.#finish({ reason: "violation", error }, violationCode(error), error.code);
  }

  /** Input: the carrier ended. */
  carrierClosed(code: number, text: string, lane = 0): void {
    const closed: LinkClosed = { reason: "closed-by-peer", code, text };
    // Whoever closes on purpose says so. What ends without a word was cut on the way.
    if (code === brokenOff) this.#lose(this.#track(lane), closed);
    else this.#finish(closed);
  }

  carrierFailed(cause: unknown, lane = 0): void {
    const error = isFairleadError(cause) ? cause : socketFailed(cause);
    this.#lose(this.#track(lane), { reason: "socket-error", error });
  }

  /** Events of a connection that the lane has left behind mean nothing. */
  isOn(lane: number, carrier: Carrier): boolean {
    return this.#track(lane).lane.isOn(carrier);
  }

  /** The number of the last frame that came on the lane. */
  receivedOn(lane: number): number {
    return this.#track(lane).lane.received;
  }

  /**
   * Goes on with another connection, whose peer has all frames up to a number. `greet` sends what must be first on it.
   * False when that can't be: the peer misses what isn't kept, or says that it has what was never sent.
   */
  attach(lane: number, carrier: Carrier, peerReceived: number, greet?: (ourReceived: number) => void): boolean {
    const track = this.#track(lane);
    if (this.#isClosed || this.#resumption.session === undefined) return false;
    if (!track.lane.attach(carrier, peerReceived)) return false;
    greet?.(track.lane.received);
    const wasUp = !this.#resumption.isWaiting(track.lane);
    this.#resumption.resumed(track.lane);
    track.liveness.restart();
    if (!wasUp) this.onStateChanged?.("up");
    return true;
  }

  /** No connection will come any more. */
  giveUp(error: FairleadError): void {
    this.#finish(this.#resumption.causeOf(this.#main.lane) ?? { reason: "socket-error", error });
  }

  #track(_lane: number): Track {
    return this.#main;
  }

  #lose(track: Track, cause: LinkClosed): void {
    if (this.#isClosed || !track.lane.isUp) return;
    if (this.#resumption.session === undefined) {
      this.#finish(cause);
      return;
    }
    track.lane.detach();
    track.liveness.suspend();
    this.#resumption.wait(track.lane, cause);
    this.onStateChanged?.("resuming");
    if (this.#resuming?.by === "dialling") this.#resuming.dial(this, track.lane.index);
  }

  #receiveSettings(settings: PeerSettings): void {
    const isCommon = settings.versions.some((version) => protocolVersions.includes(version));
    if (!isCommon) throw noCommonVersion(settings.versions);
    this.#peer = settings;
    if (this.#resuming?.by === "dialling") this.#resumption.session = settings.session;
    if (!this.#hasGreeted) this.#greet();
    if (this.#resumption.session === undefined) this.#main.lane.stopRetaining();
  }

  /**
   * The dialler speaks first and the other side says nothing before: a dialler that puts its link on the socket a little
   * after it opened has missed nothing.
   */
  #greet(): void {
    this.#hasGreeted = true;
    const resume = this.#resuming !== undefined;
    if (this.#resuming?.by === "waiting" && this.#peer.resume) {
      this.#resumption.session ??= this.#resuming.nameSession(this);
    }
    const { session } = this.#resumption;
    const settings = { versions: protocolVersions, streams: this.#limits.streams, resume, session, lanes: 1 };
    this.#main.writer.json(frameTypes.settings, 0, false, formatSettings(settings));
    this.#main.liveness.greeted();
    this.#sendGoAway();
    this.#main.lane.requestFlush();
  }

  async #leave(message: GoAway): Promise<void> {
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

  #createHost(): StreamHost {
    return {
      writer: this.#main.writer,
      pool: this.#pool,
      frameBytes: Math.min(this.#limits.frameBytes, maxDataBytes),
      tuning: {
        now: () => this.#clock.now(),
        rttMs: () => this.#main.liveness.freshRttMs(),
        windowBytes: this.#limits.windowBytes,
        maxWindowBytes: Math.max(this.#limits.maxWindowBytes, this.#limits.windowBytes),
      },
      now: () => this.#clock.now(),
      queueHead: (stream) => this.#main.scheduler.queueHead(stream),
      queueData: (stream) => this.#main.scheduler.queueData(stream),
      answered: () => this.#deadlines.unwatch(),
      over: (stream) => this.#forget(stream),
      countReset: (code) => this.#countReset(code),
      countCreditViolation: () => {
        this.#creditViolations++;
        if (this.#creditViolations > maxCreditViolations) this.violate(creditExceeded(this.#creditViolations));
      },
    };
  }

  #createTrack(index: number, carrier: Carrier): Track {
    return createTrack({
      index,
      carrier,
      clock: this.#clock,
      limits: this.#limits,
      ackSoon: () => this.#ackSoon(),
      onDead: (silentMs) => this.#lose(this.#main, { reason: "dead-peer", silentMs }),
    });
  }

  /** One timer for all lanes, and none on a link on which nothing happens. */
  #ackSoon(): void {
    this.#cancelAck ??= this.#clock.after(ackDelayMs, () => {
      this.#cancelAck = undefined;
      this.#main.lane.acknowledge();
    });
  }

  #forget(stream: MuxStream): void {
    if (!this.#table.remove(stream)) return;
    if (stream.isWaiting()) this.#deadlines.unwatch();
    if (this.#table.byId.size === 0) this.#onDrained?.();
  }

  #finish(closed: LinkClosed, code?: number, text = ""): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#deadlines.stop();
    this.#resumption.stop();
    this.#cancelAck?.();
    this.#main.liveness.stop(linkClosed());
    const lost = linkLost(closed);
    for (const stream of [...this.#table.byId.values()]) stream.lose(lost);
    this.#main.scheduler.clear();
    this.#onDrained?.();
    if (code === undefined) this.#main.lane.terminate();
    else this.#main.lane.close(code, text);
    this.#resolveClosed(closed);
  }
}

function violationCode(error: FairleadError): number {
  return error.code === "LINK_NO_COMMON_VERSION" ? closeCodes.noCommonVersion : closeCodes.violation;
}

/** What `ws` says of a connection that ended without a closing frame (RFC 6455 §7.1.5). */
const brokenOff = 1006;
const ackDelayMs = 75;
/** A peer that oversends now and then loses those streams; one that goes on loses the link. */
const maxCreditViolations = 16;
/** Control frames are never held back, so a peer that asks and doesn't read would make them pile up. */
const maxUnreadBytes = 33_554_432;
