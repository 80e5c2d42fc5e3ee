// An upgrade: bytes flow only after a 101. Anything else is an ordinary answer after which the connection closes, as a
// spliced or reused connection after a refused upgrade hands its user's rights to the next one (CVE-2018-1002105).
import type { Socket } from "node:net";
import { type FairleadError, toFairleadError } from "@fairlead/kernel";
import {
  findHeader,
  type LinkStream,
  nodeHttp,
  type RawHeaders,
  type ResetCode,
  type ResponseHead,
  resetCodes,
  type StreamHandlers,
} from "@fairlead/protocol";
import type { SessionTap } from "../../people/recordings/index.ts";
import { proxyErrors } from "./errors.ts";
import { clientGone, Exchange, type ExchangeOptions } from "./exchange.ts";
import { giveBack, Pauses } from "./pace.ts";

export interface SpliceOptions extends Omit<ExchangeOptions, "res" | "stalledMs"> {
  readonly socket: Socket;
  /** The bytes that the client sent right behind its request. */
  readonly head: Buffer;
  /** Called for a session that is kept, with the subprotocol of the 101, before anything of it passes. */
  readonly record?: ((subprotocol: string | undefined) => SessionTap) | undefined;
}

export class Splice implements StreamHandlers {
  readonly #options: SpliceOptions;
  readonly #socket: Socket;
  #stream: LinkStream | undefined;
  #answer: Exchange | undefined;
  #state: "waiting" | "spliced" | "answering" | "done" = "waiting";
  #isPeerEnded = false;
  #tap: SessionTap | undefined;
  readonly #pauses: Pauses;

  constructor(options: SpliceOptions) {
    this.#options = options;
    this.#socket = options.socket;
    this.#pauses = new Pauses(options.socket);
    this.#socket.once("close", () => this.#abort());
  }

  /** True when nothing more will happen. */
  get isOver(): boolean {
    return this.#state === "done" || this.#answer?.isOver === true;
  }

  begin(stream: LinkStream): void {
    this.#stream = stream;
    if (this.#state === "done") stream.reset(resetCodes.cancelled);
  }

  onHead(head: ResponseHead): void {
    if (this.#state !== "waiting") return;
    if (head.status === 101) {
      this.#splice(head.headers);
      return;
    }
    if (head.status >= 300 && head.status < 400) {
      this.fail(proxyErrors.PROXY_REDIRECT_REFUSED(), resetCodes.cancelled);
      return;
    }
    if (!this.#stream) return;
    const answer = this.#startAnswer();
    // The client's half is over: it asked for an upgrade and sends nothing else.
    this.#stream.end();
    answer.adopt(this.#stream, { status: head.status, headers: head.headers });
  }

  onData(chunk: Uint8Array): void {
    if (this.#answer) {
      this.#answer.onData(chunk);
      return;
    }
    const sizeBytes = chunk.byteLength;
    if (this.#state !== "spliced") {
      this.#stream?.consumed(sizeBytes);
      return;
    }
    if (this.#tap && !this.#show(() => this.#tap?.fromCluster(chunk))) return;
    const waitMs = this.#options.lease?.pace(sizeBytes) ?? 0;
    if (this.#socket.writableLength < eagerBytes) {
      this.#socket.write(chunk);
      giveBack(this.#stream, sizeBytes, waitMs);
    } else {
      this.#socket.write(chunk, () => giveBack(this.#stream, sizeBytes, waitMs));
    }
  }

  onEnd(trailers: RawHeaders): void {
    if (this.#answer) {
      this.#answer.onEnd(trailers);
      return;
    }
    if (this.#state === "waiting") {
      this.fail(proxyErrors.PROXY_ANSWER_INVALID(), resetCodes.protocol);
      return;
    }
    if (this.#state !== "spliced") return;
    this.#isPeerEnded = true;
    this.#socket.end();
    // A client that never closes its half would hold the connection for good.
    this.#socket.setTimeout(lingerMs, () => this.#socket.destroy());
    if (this.#socket.readableEnded) this.#finish(undefined);
  }

  onReset(error: FairleadError, code: ResetCode): void {
    if (this.#answer) {
      this.#answer.onReset(error, code);
      return;
    }
    if (this.#state === "waiting") {
      if (!this.#options.retry?.(code)) this.#startAnswer().onReset(error, code);
      return;
    }
    if (this.#state !== "spliced") return;
    this.#finish(error);
    this.#socket.destroy();
  }

  onWritable(): void {
    if (this.#state === "spliced") this.#pauses.resume();
  }

  /** Ends it for a reason of the hub's: with our own answer, or by a cut when bytes flow. */
  cut(error: FairleadError): void {
    if (this.#state === "waiting") this.fail(error);
    else if (this.#state === "spliced") this.#break(error);
    else this.#answer?.cut(error);
  }

  /** Refuses the upgrade with our own error. */
  fail(thrown: unknown, code: ResetCode = resetCodes.cancelled): void {
    if (this.#state !== "waiting") return;
    this.#stream?.reset(code);
    this.#startAnswer().fail(toFairleadError(thrown));
  }

  #splice(headers: RawHeaders): void {
    const socket = this.#socket;
    const stream = this.#stream;
    const lines = formatHead(headers);
    if (!stream || lines === undefined) {
      this.fail(proxyErrors.PROXY_ANSWER_INVALID(), resetCodes.protocol);
      return;
    }
    try {
      this.#tap = this.#options.record?.(subprotocolOf(headers));
    } catch (thrown) {
      this.fail(thrown);
      return;
    }
    this.#state = "spliced";
    // Ours to half-close: the pod may still have output after the client's last input.
    socket.allowHalfOpen = true;
    socket.setTimeout(0);
    socket.write(lines, "latin1");
    socket.on("data", (chunk: Buffer) => this.#sendOn(chunk));
    socket.resume();
    if (this.#options.head.byteLength > 0) this.#sendOn(this.#options.head);
    socket.once("end", () => {
      if (this.#state !== "spliced") return;
      stream.end();
      if (this.#isPeerEnded) this.#finish(undefined);
    });
  }

  #sendOn(chunk: Buffer): void {
    if (this.#state !== "spliced") return;
    if (this.#tap && !this.#show(() => this.#tap?.fromClient(chunk))) return;
    if (this.#stream?.write(chunk) === false) this.#pauses.untilWritable();
    const waitMs = this.#options.lease?.pace(chunk.byteLength) ?? 0;
    if (waitMs > 0) this.#pauses.forMs(waitMs);
  }

  /** Data that isn't recorded doesn't pass. */
  #show(record: () => void): boolean {
    try {
      record();
      return true;
    } catch (thrown) {
      this.#break(toFairleadError(thrown));
      return false;
    }
  }

  #break(error: FairleadError): void {
    this.#finish(error);
    this.#stream?.reset(resetCodes.cancelled);
    this.#socket.destroy();
  }

  /** The answer is an ordinary one from here on. The connection closes behind it. */
  #startAnswer(): Exchange {
    this.#state = "answering";
    const socket = this.#socket;
    const res = new nodeHttp.ServerResponse(this.#options.req);
    res.shouldKeepAlive = false;
    res.assignSocket(socket);
    res.once("finish", () => socket.destroySoon());
    this.#answer = new Exchange({ ...this.#options, res, retry: undefined });
    return this.#answer;
  }

  #abort(): void {
    if (this.#state === "answering" || this.#state === "done") return;
    this.#finish(clientGone);
    this.#stream?.reset(resetCodes.cancelled);
  }

  #finish(error: FairleadError | undefined): void {
    const status = this.#state === "spliced" ? 101 : undefined;
    this.#state = "done";
    endTap(this.#tap);
    this.#options.onDone(status, error);
  }
}

/** A recording that can't be ended is its keeper's to notice. */
function endTap(tap: SessionTap | undefined): void {
  try {
    tap?.end();
  } catch {
    // The session is over either way.
  }
}

/** The API server chose this for the time behind the 101: a WebSocket's subprotocol, or SPDY's version of streams. */
function subprotocolOf(headers: RawHeaders): string | undefined {
  return findHeader(headers, "sec-websocket-protocol") ?? findHeader(headers, "x-stream-protocol-version");
}

/** The 101 with the API server's lines as they are; undefined when one of them could break out of its line. */
function formatHead(headers: RawHeaders): string | undefined {
  let text = "HTTP/1.1 101 Switching Protocols\r\n";
  try {
    for (let index = 0; index + 1 < headers.length; index += 2) {
      const name = headers[index] ?? "";
      const value = headers[index + 1] ?? "";
      nodeHttp.validateHeaderName(name);
      nodeHttp.validateHeaderValue(name, value);
      text += `${name}: ${value}\r\n`;
    }
  } catch {
    return undefined;
  }
  return `${text}\r\n`;
}

const eagerBytes = 128 * 1024;
const lingerMs = 60_000;
