// Hands each frame of the peer to the stream, the lane or the link that it is for.
import { isFairleadError } from "@fairlead/kernel";
import type { Lane } from "../lane/index.ts";
import { type Breach, type MuxStream, type StreamAcceptor, streamReset } from "../stream/index.ts";
import {
  type Frame,
  type FrameWriter,
  type GoAway,
  knownResetCode,
  type PeerSettings,
  resetCodes,
} from "../wire/index.ts";
import { type Chatter, isChatter } from "./chatter.ts";
import type { PartVerdict } from "./partial-heads.ts";
import type { Streams } from "./streams.ts";

export interface IntakeOptions {
  readonly streams: Streams;
  readonly accept: StreamAcceptor;
  /** Streams that the peer may have open at once. */
  readonly maxStreams: number;
  readonly chatter: Chatter;
  /** Writes refusals. */
  readonly writer: FrameWriter;
  readonly isLeaving: () => boolean;
  readonly onSettings: (settings: PeerSettings) => void;
  readonly onGoAway: (message: GoAway) => void;
  /** The peer's time, to the second. */
  readonly onTime: (peerMs: number) => void;
}

export class Intake {
  readonly #options: IntakeOptions;

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /** Peers of earlier versions say 0. */
  #takeTime(token: Uint8Array): void {
    const seconds = Buffer.from(token.buffer, token.byteOffset, token.byteLength).readUInt32BE(0);
    if (seconds > 0) this.#options.onTime(seconds * 1_000 + 500);
  }

  /** Throws errors that the link can't survive. */
  take(frame: Frame, lane: Lane): void {
    const { chatter, onSettings, onGoAway } = this.#options;
    const { table, heads } = this.#options.streams;
    if (isChatter(frame)) chatter.count();
    switch (frame.kind) {
      case "data":
        table.find(frame.stream)?.receiveData(frame.bytes, frame.offset, frame.fin);
        break;
      case "window":
        table.find(frame.stream)?.receiveWindow(frame.addBytes);
        break;
      case "open":
        this.#takeOpen(frame);
        break;
      case "part":
        this.#takePart(frame.stream, frame.bytes);
        break;
      case "head":
        this.#takeHead(frame);
        break;
      case "end":
        table.find(frame.stream)?.receiveEnd(frame.trailers);
        break;
      case "reset":
        heads.end({ type: "ended", stream: frame.stream });
        table.find(frame.stream)?.receiveReset(knownResetCode(frame.code), frame.text);
        break;
      case "malformed-open":
        this.#takeId(frame.stream);
        this.#refuse(frame.stream, frame);
        break;
      case "malformed":
        table.find(frame.stream)?.fail(resetCodes.protocol, frame.error);
        break;
      case "ping":
        lane.writer.pong(frame.token);
        this.#takeTime(frame.token);
        break;
      case "pong":
        lane.liveness.pong(frame.token);
        break;
      case "settings":
        onSettings(frame.settings);
        break;
      case "go-away":
        onGoAway(frame.message);
        break;
      case "ack":
        lane.receiveAck(frame.number);
        break;
      case "ignored":
        break;
    }
  }

  /** The id of an OPEN in parts is in use from its first part on. */
  #takePart(id: number, bytes: Uint8Array): void {
    const { table, heads } = this.#options.streams;
    const stream = table.isOwn(id) ? table.find(id) : undefined;
    if (!table.isOwn(id) && !heads.knows(id)) table.takeOvertakenId(id);
    const why =
      breaches[heads.take(id, bytes)] ?? (table.isOwn(id) && stream?.isUnanswered !== true ? stray : undefined);
    if (why === undefined) return;
    heads.end({ type: "refused", stream: id });
    if (!table.isOwn(id)) this.#refuse(id, why);
    else stream?.fail(why.code, streamReset(why.code, why.text), why.text);
  }

  #takeId(id: number): void {
    const { table, heads } = this.#options.streams;
    if (heads.wholeBytes === 0) table.takePeerId(id);
  }

  #takeHead({ stream: id, head, fin }: Extract<Frame, { kind: "head" }>): void {
    const { table, heads } = this.#options.streams;
    const stream = table.find(id);
    if (stream === undefined) return;
    if (stream.inbound.window.holdHead(heads.wholeBytes)) stream.receiveHead(head, fin);
    else stream.fail(noRoom.code, streamReset(noRoom.code, noRoom.text), noRoom.text);
  }

  #takeOpen({ stream: id, open, fin, windowBytes }: Extract<Frame, { kind: "open" }>): void {
    const { streams, accept } = this.#options;
    this.#takeId(id);
    const stream = streams.make({ id, open, isOpener: false, creditBytes: windowBytes });
    const refusal = this.#refusalOf(stream, fin);
    if (refusal !== undefined) {
      this.#refuse(id, refusal);
      return;
    }
    if (fin) stream.receiveEndWithOpen();
    streams.add(stream);
    try {
      stream.handlers = accept(stream);
    } catch (thrown) {
      // A coded error's message is meant for others to read; anything else isn't.
      if (isFairleadError(thrown)) stream.reset(resetCodes.refused, thrown.message);
      else stream.reset(resetCodes.internal, "the acceptor failed");
      return;
    }
    if (fin) stream.tellEnd([]);
  }

  #refusalOf(stream: MuxStream, fin: boolean): Breach | undefined {
    const { maxStreams, isLeaving } = this.#options;
    const { table } = this.#options.streams;
    if (isLeaving()) return { code: resetCodes.goingAway, text: "" };
    if (table.peerCount >= maxStreams) return { code: resetCodes.overloaded, text: "too many streams" };
    if (!table.takePlace()) return { code: resetCodes.overloaded, text: "too many streams on all links together" };
    const { window } = stream.inbound;
    const isRoom = window.holdHead(this.#options.streams.heads.wholeBytes);
    if (isRoom && (fin || window.start())) return undefined;
    window.release();
    table.givePlace();
    return { code: resetCodes.overloaded, text: isRoom ? "no credit left" : noRoom.text };
  }

  #refuse(id: number, why: Breach): void {
    this.#options.streams.tally.countReset(why.code);
    this.#options.writer.reset(id, why.code, why.text);
  }
}

const noRoom: Breach = { code: resetCodes.overloaded, text: "no memory left for large heads" };
const stray: Breach = { code: resetCodes.protocol, text: "a part of a head that nobody waits for" };
const breaches: Readonly<Record<PartVerdict, Breach | undefined>> = {
  taken: undefined,
  ignored: undefined,
  "too-large": { code: resetCodes.protocol, text: "a head that is too large" },
  "no-credit": noRoom,
};
