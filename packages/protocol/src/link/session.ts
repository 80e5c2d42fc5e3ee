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
  noCommonVersion,
  peerNotReading,
  socketFailed,
  tooManyStreams,
} from "./errors.ts";
import { frameTypes, maxDataBytes, readFrame } from "./frame.ts";
import { FrameWriter } from "./frame-writer.ts";
import { defaultPeerSettings, formatGoAway, formatSettings, type PeerSettings, protocolVersions } from "./heads.ts";
import { Intake } from "./intake.ts";
import { defaultLinkLimits, type LinkLimits } from "./limits.ts";
import { Liveness } from "./liveness.ts";
import { linkLost } from "./reset-errors.ts";
import { Scheduler } from "./scheduler.ts";
import { collectStats } from "./stats.ts";
import { MuxStream, type StreamHost } from "./stream.ts";
import { StreamTable } from "./stream-table.ts";
import type {
  GoAway,
  Link,
  LinkClosed,
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
}

export class Session implements Link {
  onGoAway: ((message: GoAway) => void) | undefined;
  readonly closed: Promise<LinkClosed>;
  readonly #limits: LinkLimits;
  readonly #carrier: Carrier;
  readonly #intake: Intake;
  readonly #clock: Clock;
  readonly #writer: FrameWriter;
  readonly #scheduler: Scheduler;
  readonly #pool: CreditPool;
  readonly #host: StreamHost;
  readonly #liveness: Liveness;
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
    const { carrier, isDialler, accept, limits, budget, clock = systemClock } = options;
    this.#limits = { ...defaultLinkLimits, ...limits };
    this.#carrier = carrier;
    this.#clock = clock;
    this.#table = new StreamTable({ isDialler });
    this.#writer = new FrameWriter(carrier);
    this.#scheduler = new Scheduler(carrier, this.#limits.socketHighWaterBytes);
    this.#pool = new CreditPool(this.#limits.linkCreditBytes, budget);
    this.#host = this.#createHost();
    const { pingMs, deadMs } = this.#limits;
    const onDead = (silentMs: number): void => this.#finish({ reason: "dead-peer", silentMs });
    this.#liveness = new Liveness({ clock, writer: this.#writer, pingMs, deadMs, onDead });
    this.#deadlines = new Deadlines(clock, this.#table.byId);
    this.#intake = new Intake({
      table: this.#table,
      writer: this.#writer,
      liveness: this.#liveness,
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
    this.#liveness.start();
  }

  openStream(open: OpenHead, handlers: StreamHandlers): LinkStream {
    if (this.#isClosed) throw linkClosed();
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
    return this.#isClosed ? Promise.reject(linkClosed()) : this.#liveness.ping(options);
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
      bytes: { received: this.#receivedBytes, sent: this.#writer.sentBytes },
      frames: { received: this.#receivedFrames, sent: this.#writer.sentFrames },
      resetsByCode: { ...this.#resetsByCode },
      lastRttMs: this.#liveness.lastRttMs,
    });
  }

  /** Input: one message from the peer. */
  receive(message: Uint8Array): void {
    if (this.#isClosed) return;
    this.#receivedFrames++;
    this.#receivedBytes += message.byteLength;
    this.#liveness.heard();
    try {
      this.#intake.take(readFrame(message));
    } catch (thrown) {
      this.violate(toFairleadError(thrown));
    }
    if (this.#carrier.bufferedBytes > maxUnreadBytes) this.violate(peerNotReading(this.#carrier.bufferedBytes));
  }

  /** Input: the carrier has room, or the turn in which something was queued is done. */
  writable(): void {
    if (!this.#isClosed && this.#hasGreeted) this.#scheduler.run();
  }

  /** Input: the peer broke the protocol in a way that the carrier noticed. */
  violate(error: FairleadError): void {
    this.#finish({ reason: "violation", error }, violationCode(error), error.code);
  }

  /** Input: the carrier ended. */
  carrierClosed(code: number, text: string): void {
    this.#finish({ reason: "closed-by-peer", code, text });
  }

  carrierFailed(cause: unknown): void {
    const error = isFairleadError(cause) ? cause : socketFailed(cause);
    this.#finish({ reason: "socket-error", error });
  }

  #receiveSettings(settings: PeerSettings): void {
    const isCommon = settings.versions.some((version) => protocolVersions.includes(version));
    if (!isCommon) throw noCommonVersion(settings.versions);
    this.#peer = settings;
    if (!this.#hasGreeted) this.#greet();
  }

  /**
   * The dialler speaks first and the other side says nothing before: a dialler that puts its link on the socket a little
   * after it opened has missed nothing.
   */
  #greet(): void {
    this.#hasGreeted = true;
    const settings = { versions: protocolVersions, streams: this.#limits.streams };
    this.#writer.json(frameTypes.settings, 0, false, formatSettings(settings));
    this.#liveness.greeted();
    this.#sendGoAway();
    this.#carrier.requestFlush();
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
    this.#scheduler.run();
    this.#writer.json(frameTypes.goAway, 0, false, this.#goAwayText);
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
      writer: this.#writer,
      pool: this.#pool,
      frameBytes: Math.min(this.#limits.frameBytes, maxDataBytes),
      windowBytes: this.#limits.windowBytes,
      now: () => this.#clock.now(),
      queueHead: (stream) => this.#scheduler.queueHead(stream),
      queueData: (stream) => this.#scheduler.queueData(stream),
      answered: () => this.#deadlines.unwatch(),
      over: (stream) => this.#forget(stream),
      countReset: (code) => this.#countReset(code),
      countCreditViolation: () => {
        this.#creditViolations++;
        if (this.#creditViolations > maxCreditViolations) this.violate(creditExceeded(this.#creditViolations));
      },
    };
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
    this.#liveness.stop(linkClosed());
    const lost = linkLost(closed);
    for (const stream of [...this.#table.byId.values()]) stream.lose(lost);
    this.#scheduler.clear();
    this.#onDrained?.();
    if (code === undefined) this.#carrier.terminate();
    else this.#carrier.close(code, text);
    this.#resolveClosed(closed);
  }
}

function violationCode(error: FairleadError): number {
  return error.code === "LINK_NO_COMMON_VERSION" ? closeCodes.noCommonVersion : closeCodes.violation;
}

/** A peer that oversends now and then loses those streams; one that goes on loses the link. */
const maxCreditViolations = 16;
/** Control frames are never held back, so a peer that asks and doesn't read would make them pile up. */
const maxUnreadBytes = 33_554_432;
