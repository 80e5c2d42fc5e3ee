// The mux: a state machine between a carrier below (frames in, frames out) and streams above. It does no I/O, keeps no
// time of its own, and never waits: every input returns when its effects have been handed on.
import { type Clock, type FairleadError, isFairleadError, systemClock, toFairleadError } from "@fairlead/kernel";
import type { LinkBudget } from "./budget.ts";
import { type Carrier, closeCodes } from "./carrier.ts";
import { baseWindowBytes, CreditPool } from "./credit-pool.ts";
import { Deadlines, isWaiting } from "./deadlines.ts";
import {
  creditExceeded,
  linkClosed,
  linkGoingAway,
  linkOverloaded,
  noCommonVersion,
  peerNotReading,
  socketFailed,
  streamReset,
  tooManyStreams,
  unknownStream,
} from "./errors.ts";
import { type Frame, frameTypes, maxDataBytes, readFrame } from "./frame.ts";
import { FrameWriter } from "./frame-writer.ts";
import { defaultPeerSettings, formatGoAway, formatSettings, type PeerSettings, protocolVersions } from "./heads.ts";
import { defaultLinkLimits, type LinkLimits } from "./limits.ts";
import { Liveness } from "./liveness.ts";
import { Scheduler } from "./scheduler.ts";
import { collectStats } from "./stats.ts";
import { MuxStream, type StreamHost } from "./stream.ts";
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
import { resetCodes } from "./types.ts";

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
  readonly #accept: StreamAcceptor;
  readonly #clock: Clock;
  readonly #writer: FrameWriter;
  readonly #scheduler: Scheduler;
  readonly #pool: CreditPool;
  readonly #host: StreamHost;
  readonly #liveness: Liveness;
  readonly #deadlines: Deadlines;
  readonly #streams = new Map<number, MuxStream>();
  readonly #resetsByCode: Record<number, number> = {};
  #resolveClosed!: (closed: LinkClosed) => void;
  #isClosed = false;
  #isGoingAway = false;
  #onDrained: (() => void) | undefined;
  #peer: PeerSettings = defaultPeerSettings;
  #nextId: number;
  #lastPeerId = 0;
  #ownStreams = 0;
  #peerStreams = 0;
  #creditViolations = 0;
  #receivedFrames = 0;
  #receivedBytes = 0;

  constructor(options: SessionOptions) {
    const { carrier, isDialler, accept, limits, budget, clock = systemClock } = options;
    this.#limits = { ...defaultLinkLimits, ...limits };
    this.#carrier = carrier;
    this.#accept = accept;
    this.#clock = clock;
    this.#nextId = isDialler ? 1 : 2;
    this.#writer = new FrameWriter(carrier);
    this.#scheduler = new Scheduler(carrier, this.#limits.socketHighWaterBytes);
    this.#pool = new CreditPool(this.#limits.linkCreditBytes, budget);
    this.#host = this.#createHost();
    const { pingMs, deadMs } = this.#limits;
    const onDead = (silentMs: number): void => this.#finish({ reason: "dead-peer", silentMs });
    this.#liveness = new Liveness({ clock, writer: this.#writer, pingMs, deadMs, onDead });
    this.#deadlines = new Deadlines(clock, this.#streams);
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    const settings = { versions: protocolVersions, streams: this.#limits.streams };
    this.#writer.json(frameTypes.settings, 0, false, formatSettings(settings));
    this.#liveness.start();
  }

  openStream(open: OpenHead, handlers: StreamHandlers): LinkStream {
    if (this.#isClosed) throw linkClosed();
    if (this.#isGoingAway) throw linkGoingAway();
    if (this.#ownStreams >= this.#peer.streams) throw tooManyStreams(this.#peer.streams);
    if (this.#nextId > maxStreamId) {
      void this.goAway({ reason: "stream ids used up", drainMs: 30_000 });
      throw linkGoingAway();
    }
    const stream = new MuxStream(this.#host, this.#nextId, open, true, baseWindowBytes);
    if (!stream.window.start()) throw linkOverloaded();
    stream.window.grow();
    stream.handlers = handlers;
    try {
      stream.request();
    } catch (thrown) {
      stream.window.release();
      throw thrown;
    }
    this.#nextId += 2;
    this.#ownStreams++;
    this.#add(stream);
    return stream;
  }

  ping(options: { readonly signal?: AbortSignal } = {}): Promise<number> {
    return this.#isClosed ? Promise.reject(linkClosed()) : this.#liveness.ping(options);
  }

  async goAway(message: GoAway): Promise<void> {
    if (this.#isClosed) return;
    this.#isGoingAway = true;
    this.#writer.json(frameTypes.goAway, 0, false, formatGoAway(message));
    await new Promise<void>((resolve) => {
      const cancel = this.#clock.after(message.drainMs, resolve);
      this.#onDrained = () => {
        cancel();
        resolve();
      };
      if (this.#streams.size === 0) this.#onDrained();
    });
    this.#finish({ reason: "closed-by-us" }, closeCodes.goingAway, message.reason);
  }

  close(reason: string): void {
    this.#finish({ reason: "closed-by-us" }, closeCodes.normal, reason);
  }

  stats(): LinkStats {
    return collectStats({
      streams: this.#streams.values(),
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
      this.#dispatch(readFrame(message));
    } catch (thrown) {
      this.violate(toFairleadError(thrown));
    }
    if (this.#carrier.bufferedBytes > maxUnreadBytes) this.violate(peerNotReading(this.#carrier.bufferedBytes));
  }

  /** Input: the carrier has room, or the turn in which something was queued is done. */
  writable(): void {
    if (!this.#isClosed) this.#scheduler.run();
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

  #dispatch(frame: Frame): void {
    switch (frame.kind) {
      case "data":
        return this.#find(frame.stream)?.receiveData(frame.bytes, frame.offset, frame.fin);
      case "window":
        return this.#find(frame.stream)?.receiveWindow(frame.addBytes);
      case "open":
        return this.#receiveOpen(frame);
      case "head":
        return this.#find(frame.stream)?.receiveHead(frame.head, frame.fin);
      case "end":
        return this.#find(frame.stream)?.receiveEnd(frame.trailers);
      case "reset":
        return this.#find(frame.stream)?.receiveReset(knownCode(frame.code), frame.text);
      case "ping":
        return this.#writer.pong(frame.token);
      case "pong":
        return this.#liveness.pong(frame.token);
      case "unknown-target":
        return this.#refuse(frame.stream, resetCodes.unknownTarget, "");
      case "malformed":
        if (frame.opens) return this.#refuse(frame.stream, resetCodes.protocol, frame.error.message);
        return this.#find(frame.stream)?.fail(resetCodes.protocol, frame.error);
      case "settings":
        return this.#receiveSettings(frame.settings);
      case "go-away":
        this.#isGoingAway = true;
        return this.onGoAway?.(frame.message);
      case "ignored":
        return;
    }
  }

  #receiveSettings(settings: PeerSettings): void {
    if (!settings.versions.some((version) => protocolVersions.includes(version))) {
      throw noCommonVersion(settings.versions);
    }
    this.#peer = settings;
  }

  #receiveOpen(frame: Extract<Frame, { kind: "open" }>): void {
    this.#takePeerId(frame.stream);
    if (this.#isGoingAway) return this.#refuseTaken(frame.stream, resetCodes.goingAway, "");
    if (this.#peerStreams >= this.#limits.streams) {
      return this.#refuseTaken(frame.stream, resetCodes.overloaded, "too many streams");
    }
    const stream = new MuxStream(this.#host, frame.stream, frame.open, false, frame.windowBytes);
    if (!frame.fin && !stream.window.start())
      return this.#refuseTaken(frame.stream, resetCodes.overloaded, "no credit");
    if (frame.fin) stream.receiving = "ended";
    this.#peerStreams++;
    this.#add(stream);
    try {
      stream.handlers = this.#accept(stream);
    } catch (thrown) {
      // A coded error's message is meant for others to read; anything else isn't.
      if (isFairleadError(thrown)) stream.reset(resetCodes.refused, thrown.message);
      else stream.reset(resetCodes.internal, "the acceptor failed");
      return;
    }
    if (frame.fin) stream.receiveNoBody();
  }

  /** Undefined for a stream that is over; its last frames may still be on their way. */
  #find(id: number): MuxStream | undefined {
    const stream = this.#streams.get(id);
    if (stream === undefined && (this.#isOwn(id) ? id >= this.#nextId : id > this.#lastPeerId)) throw unknownStream(id);
    return stream;
  }

  #takePeerId(id: number): void {
    if (this.#isOwn(id) || id <= this.#lastPeerId) throw unknownStream(id);
    this.#lastPeerId = id;
  }

  #isOwn(id: number): boolean {
    return id % 2 === this.#nextId % 2;
  }

  #refuse(id: number, code: ResetCode, text: string): void {
    this.#takePeerId(id);
    this.#refuseTaken(id, code, text);
  }

  #refuseTaken(id: number, code: ResetCode, text: string): void {
    this.#resetsByCode[code] = (this.#resetsByCode[code] ?? 0) + 1;
    this.#writer.reset(id, code, text);
  }

  #add(stream: MuxStream): void {
    this.#streams.set(stream.id, stream);
    this.#deadlines.watch(stream);
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
      countReset: (code) => {
        this.#resetsByCode[code] = (this.#resetsByCode[code] ?? 0) + 1;
      },
      countCreditViolation: () => {
        this.#creditViolations++;
        if (this.#creditViolations > maxCreditViolations) this.violate(creditExceeded(this.#creditViolations));
      },
    };
  }

  #forget(stream: MuxStream): void {
    if (!this.#streams.delete(stream.id)) return;
    if (stream.isOpener) this.#ownStreams--;
    else this.#peerStreams--;
    if (isWaiting(stream)) this.#deadlines.unwatch();
    if (this.#streams.size === 0) this.#onDrained?.();
  }

  #finish(closed: LinkClosed, code?: number, text = ""): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#deadlines.stop();
    this.#liveness.stop(linkClosed());
    const lost = streamReset(resetCodes.linkLost, lostBecause(closed));
    for (const stream of [...this.#streams.values()]) stream.lose(lost);
    this.#scheduler.clear();
    this.#onDrained?.();
    if (code === undefined) this.#carrier.terminate();
    else this.#carrier.close(code, text);
    this.#resolveClosed(closed);
  }
}

function knownCode(code: number): ResetCode {
  return knownCodes.has(code) ? (code as ResetCode) : resetCodes.internal;
}

function violationCode(error: FairleadError): number {
  return error.code === "LINK_NO_COMMON_VERSION" ? closeCodes.noCommonVersion : closeCodes.violation;
}

function lostBecause(closed: LinkClosed): string {
  switch (closed.reason) {
    case "closed-by-us":
      return "closed by this side";
    case "closed-by-peer":
      return "closed by the other side";
    case "dead-peer":
      return "the other side fell silent";
    case "violation":
    case "socket-error":
      return closed.error.message;
  }
}

const knownCodes: ReadonlySet<number> = new Set(Object.values(resetCodes));
const maxStreamId = 0xffff_fff0;
/** A peer that oversends now and then loses those streams; one that goes on loses the link. */
const maxCreditViolations = 16;
/** Control frames are never held back, so a peer that asks and doesn't read would make them pile up. */
const maxUnreadBytes = 33_554_432;
