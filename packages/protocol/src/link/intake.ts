// What comes from the peer, frame by frame, and who it is for.
import { isFairleadError } from "@fairlead/kernel";
import { type Chatter, isChatter } from "./chatter.ts";
import type { Frame } from "./frame.ts";
import type { PeerSettings } from "./heads.ts";
import type { Breach } from "./inbound.ts";
import { knownResetCode } from "./reset-errors.ts";
import { MuxStream, type StreamHost } from "./stream.ts";
import type { StreamTable } from "./stream-table.ts";
import type { Track } from "./track.ts";
import { type GoAway, resetCodes, type StreamAcceptor } from "./types.ts";

export interface IntakeOptions {
  readonly table: StreamTable;
  readonly host: StreamHost;
  readonly accept: StreamAcceptor;
  /** Streams that the peer may have open at once. */
  readonly maxStreams: number;
  readonly chatter: Chatter;
  readonly isGoingAway: () => boolean;
  readonly onStream: (stream: MuxStream) => void;
  readonly onSettings: (settings: PeerSettings) => void;
  readonly onGoAway: (message: GoAway) => void;
}

export class Intake {
  readonly #options: IntakeOptions;

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /** Throws what the link can't survive. */
  take(frame: Frame, { lane, writer, liveness }: Track): void {
    const { table, chatter, onSettings, onGoAway } = this.#options;
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
      case "head":
        table.find(frame.stream)?.receiveHead(frame.head, frame.fin);
        break;
      case "end":
        table.find(frame.stream)?.receiveEnd(frame.trailers);
        break;
      case "reset":
        table.find(frame.stream)?.receiveReset(knownResetCode(frame.code), frame.text);
        break;
      case "malformed-open":
        table.takePeerId(frame.stream);
        this.#refuse(frame.stream, frame);
        break;
      case "malformed":
        table.find(frame.stream)?.fail(resetCodes.protocol, frame.error);
        break;
      case "ping":
        writer.pong(frame.token);
        break;
      case "pong":
        liveness.pong(frame.token);
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

  #takeOpen(frame: Extract<Frame, { kind: "open" }>): void {
    const { table, host, accept, onStream } = this.#options;
    const { stream: id, open, fin, windowBytes } = frame;
    table.takePeerId(id);
    const stream = new MuxStream({ host, id, open, isOpener: false, creditBytes: windowBytes });
    const refusal = this.#refusalOf(stream, fin);
    if (refusal !== undefined) {
      this.#refuse(id, refusal);
      return;
    }
    if (fin) stream.inbound.state = "ended";
    onStream(stream);
    try {
      stream.handlers = accept(stream);
    } catch (thrown) {
      // A coded error's message is meant for others to read; anything else isn't.
      if (isFairleadError(thrown)) stream.reset(resetCodes.refused, thrown.message);
      else stream.reset(resetCodes.internal, "the acceptor failed");
      return;
    }
    if (fin) stream.receiveNothingMore([]);
  }

  #refusalOf(stream: MuxStream, fin: boolean): Breach | undefined {
    const { table, maxStreams, isGoingAway } = this.#options;
    if (isGoingAway()) return { code: resetCodes.goingAway, text: "" };
    if (table.peerCount >= maxStreams) return { code: resetCodes.overloaded, text: "too many streams" };
    if (!table.takePlace()) return { code: resetCodes.overloaded, text: "too many streams on all links together" };
    if (fin || stream.inbound.window.start()) return undefined;
    table.givePlace();
    return { code: resetCodes.overloaded, text: "no credit left" };
  }

  #refuse(id: number, why: Breach): void {
    this.#options.host.countReset(why.code);
    this.#options.host.writer.reset(id, why.code, why.text);
  }
}
