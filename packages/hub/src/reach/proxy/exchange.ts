// An exchange is one proxied request. This is the hub's hottest path: a handful of objects per request, no streams in
// between, and head and body leave in one write when they arrive together. Credit goes back to the agent only for what
// the client's socket took, so a client that stops reading holds at most one window.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import { type FairleadError, toFairleadError } from "@fairlead/kernel";
import {
  type LinkStream,
  type RawHeaders,
  type ResetCode,
  type ResponseHead,
  resetCodes,
  type StreamHandlers,
  streamReset,
} from "@fairlead/protocol";
import type { LimitLease } from "../../platform/limits/index.ts";
import { proxyErrors, streamFailed } from "./errors.ts";
import { dropBodyFacts, passResponseHeaders, passTrailers } from "./headers.ts";
import { openPage, type PageEncoding, pageEncodingOf } from "./html/page.ts";
import { giveBack, Pauses, startTimer } from "./pace.ts";
import { sendStatus, toStatus } from "./status.ts";
import type { Target } from "./target.ts";
import { encodeErrorEvent } from "./watch/error-event.ts";
import { createEventTracker, type EventTracker, type WatchFormat, watchFormatOf } from "./watch/event-tracker.ts";

export interface ExchangeOptions {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
  readonly target: Target;
  /** The answer may be a page of a pod or service, which has links. */
  readonly mayBePage?: boolean;
  /** The answer is a stream of events. */
  readonly isWatch?: boolean;
  /** Limits the speed. */
  readonly lease?: LimitLease | undefined;
  /** A request with a body may stand still so long before its answer. Without a body the link's own rule holds. */
  readonly stalledMs?: number | undefined;
  /** Called when the stream failed before anything of an answer came. True: the request goes on, on another stream. */
  readonly retry?: ((code: ResetCode) => boolean) | undefined;
  /** Errors of our own go out as a warning too (see status.ts). */
  readonly warn?: boolean;
  /** Called once: with the answer's status, and with the error when the exchange didn't end whole. */
  readonly onDone: (status: number | undefined, error: FairleadError | undefined) => void;
}

/** True when the request announces a body. */
export function hasBody(req: IncomingMessage): boolean {
  const { headers } = req;
  return headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
}

export class Exchange implements StreamHandlers {
  readonly #options: ExchangeOptions;
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  #stream: LinkStream | undefined;
  #state: "waiting" | "answering" | "done" = "waiting";
  #bodyBytes = 0;
  #contentLength = -1;
  #watch: { readonly format: WatchFormat; readonly events: EventTracker } | undefined;
  #pauses: Pauses | undefined;
  /** Takes the body in the response's place where it is a page. */
  #page: Writable | undefined;
  #stalled: NodeJS.Timeout | undefined;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.#req = options.req;
    this.#res = options.res;
    // Fires on a finished answer as well; `#state` tells the two apart.
    options.res.once("close", () => this.#abort());
  }

  /** True when nothing more will happen. */
  get isOver(): boolean {
    return this.#state === "done";
  }

  /** Sends the request on; the answer comes by the handlers. */
  begin(stream: LinkStream): void {
    this.#stream = stream;
    if (this.#state === "done") {
      stream.reset(resetCodes.cancelled);
      return;
    }
    const { req, lease, stalledMs } = this.#options;
    if (!hasBody(req)) {
      stream.end();
      return;
    }
    if (stalledMs !== undefined) this.#stalled = startTimer(stalledMs, () => this.fail(stalledOn(this.#options)));
    const pauses = new Pauses(req);
    this.#pauses = pauses;
    req.on("data", (chunk: Buffer) => {
      if (this.#state === "done") return;
      this.#stalled?.refresh();
      if (!stream.write(chunk)) pauses.untilWritable();
      const waitMs = lease?.pace(chunk.byteLength) ?? 0;
      if (waitMs > 0) pauses.forMs(waitMs);
    });
    req.once("end", () => {
      this.#stalled?.refresh();
      if (this.#state !== "done") endWith(stream, passTrailers(req.rawTrailers));
    });
    req.once("error", () => this.#abort());
  }

  /** Takes over the answer on a stream that was opened for an upgrade and didn't become one. */
  adopt(stream: LinkStream, head: ResponseHead): void {
    this.#stream = stream;
    this.onHead(head);
  }

  onHead(head: ResponseHead): void {
    if (this.#state !== "waiting") return;
    if (head.status < 200 || head.status > 599) {
      this.fail(proxyErrors.PROXY_ANSWER_INVALID(), resetCodes.protocol);
      return;
    }
    const { req, requestId, target } = this.#options;
    const base = { prefix: target.prefix, path: target.path, host: req.headers.host };
    const { headers, contentLength } = passResponseHeaders(head.headers, requestId, base);
    const page = this.#options.mayBePage ? pageEncodingOf(head.status, headers) : undefined;
    try {
      if (Number.isNaN(contentLength)) throw proxyErrors.PROXY_ANSWER_INVALID();
      this.#res.writeHead(head.status, page === undefined ? headers : dropBodyFacts(headers));
    } catch (thrown) {
      this.fail(proxyErrors.PROXY_ANSWER_INVALID({ cause: thrown }), resetCodes.protocol);
      return;
    }
    const isBodyless = this.#req.method === "HEAD" || head.status === 204 || head.status === 304;
    this.#contentLength = isBodyless ? -1 : contentLength;
    this.#state = "answering";
    clearTimeout(this.#stalled);
    if (page !== undefined && !isBodyless) this.#page = this.#openPage(page);
    const format = this.#options.isWatch && head.status === 200 ? watchFormatOf(headers) : undefined;
    if (format !== undefined && contentLength < 0) this.#watch = { format, events: createEventTracker(format) };
    flushSoon(this);
  }

  onData(chunk: Uint8Array): void {
    const sizeBytes = chunk.byteLength;
    if (this.#state !== "answering") {
      this.#stream?.consumed(sizeBytes);
      return;
    }
    this.#bodyBytes += sizeBytes;
    // The client would read the excess as the answer to its next request, which may be for another cluster.
    if (this.#contentLength >= 0 && this.#bodyBytes > this.#contentLength) {
      this.#cut(proxyErrors.PROXY_ANSWER_INVALID());
      return;
    }
    this.#watch?.events.push(chunk);
    const waitMs = this.#options.lease?.pace(sizeBytes) ?? 0;
    if (this.#page) {
      this.#page.write(chunk, () => giveBack(this.#stream, sizeBytes, waitMs));
    } else if (this.#res.writableLength < eagerBytes) {
      this.#res.write(chunk);
      giveBack(this.#stream, sizeBytes, waitMs);
    } else {
      this.#res.write(chunk, () => giveBack(this.#stream, sizeBytes, waitMs));
    }
  }

  onEnd(trailers: RawHeaders): void {
    if (this.#state === "waiting") {
      this.fail(proxyErrors.PROXY_ANSWER_INVALID(), resetCodes.protocol);
      return;
    }
    if (this.#state === "done") return;
    if (this.#contentLength >= 0 && this.#bodyBytes !== this.#contentLength) {
      this.#cut(proxyErrors.PROXY_ANSWER_INVALID());
      return;
    }
    this.#finish(undefined);
    // An answer may come before the request has been read; nobody wants the rest of it.
    if (!this.#req.complete) this.#stream?.reset(resetCodes.noError);
    if (trailers.length > 0) addTrailers(this.#res, passTrailers(trailers));
    (this.#page ?? this.#res).end();
  }

  onReset(error: FairleadError, code: ResetCode): void {
    if (this.#state === "answering") {
      this.#lose(error);
      return;
    }
    if (this.#state !== "waiting" || this.#options.retry?.(code)) return;
    this.fail(streamFailed(this.#options.target.cluster, code, error));
  }

  onWritable(): void {
    this.#pauses?.resume();
  }

  /** Ends it for a reason of the hub's: with our own answer, or by a cut when the cluster's has begun. */
  cut(error: FairleadError): void {
    if (this.#state === "waiting") this.fail(error);
    else if (this.#state === "answering" && !this.#endWith(error, error)) this.#cut(error);
  }

  /** Answers with our own error; nothing of the cluster's answer has been sent. */
  fail(thrown: unknown, code: ResetCode = resetCodes.cancelled): void {
    if (this.#state !== "waiting") return;
    const error = toFairleadError(thrown);
    this.#finish(error, error.httpStatus);
    this.#stream?.reset(code);
    const { req, res, requestId, warn } = this.#options;
    if (!res.destroyed) sendStatus(req, res, error, { requestId, warn });
  }

  /** Ends a watch before the hub stops: its client watches again, elsewhere. */
  endWatch(): void {
    if (this.#state === "waiting") this.fail(watchEnded);
    if (this.#state === "answering" && !this.#endWith(watchEnded, undefined)) this.#cut(watchEnded);
  }

  /** Lets a watch begin at once: without a body Node would keep the head to itself. */
  flush(): void {
    if (this.#state === "answering" && this.#bodyBytes === 0) this.#res.flushHeaders();
  }

  #openPage(encoding: PageEncoding): Writable {
    return openPage({
      encoding,
      prefix: this.#options.target.prefix,
      to: this.#res,
      onFailed: () => {
        if (this.#state === "answering" && !this.#req.socket.destroyed) this.#cut(proxyErrors.PROXY_ANSWER_INVALID());
      },
    });
  }

  #lose(error: FairleadError): void {
    if (!this.#watch) {
      this.#cut(error);
      return;
    }
    const { cluster } = this.#options.target;
    const lost = proxyErrors.PROXY_WATCH_LOST({ cluster, reason: error.message, cause: error });
    if (!this.#endWith(lost, error)) this.#cut(error);
  }

  /**
   * Tells the client of a watch by a last event why it ends. False within an event, and for any other answer: nothing
   * can be added to these. Only a 504 makes all clients list or watch again; a lost right is said as it is.
   */
  #endWith(shown: FairleadError, recorded: FairleadError | undefined): boolean {
    if (!this.#watch?.events.isBetweenEvents) return false;
    const status = toStatus(shown, { requestId: this.#options.requestId });
    const isRefusal = shown.httpStatus === 401 || shown.httpStatus === 403;
    const event = encodeErrorEvent(
      this.#watch.format,
      isRefusal ? status : { ...status, reason: "Timeout", code: 504 },
    );
    this.#finish(recorded);
    this.#stream?.reset(resetCodes.cancelled);
    this.#res.end(event);
    return true;
  }

  // A connection that breaks is the only way to tell the client that the answer isn't whole.
  #cut(error: FairleadError): void {
    this.#finish(error);
    this.#stream?.reset(resetCodes.cancelled);
    this.#res.destroy();
  }

  #abort(): void {
    if (this.#state === "done") return;
    this.#finish(clientGone);
    this.#stream?.reset(resetCodes.cancelled);
  }

  #finish(error: FairleadError | undefined, status?: number): void {
    const answered = this.#state === "answering" ? this.#res.statusCode : status;
    this.#state = "done";
    clearTimeout(this.#stalled);
    // The rest of the body is thrown away, or a client that sends all of it before it reads would wait for ever.
    if (this.#req.isPaused()) this.#req.resume();
    this.#options.onDone(answered, error);
  }
}

/** A client that hangs up is nobody's failure. This error is told apart by identity. */
export const clientGone: FairleadError = proxyErrors.PROXY_CLIENT_GONE();

const watchEnded = proxyErrors.PROXY_WATCH_ENDED();

function stalledOn({ target }: ExchangeOptions): FairleadError {
  return streamFailed(target.cluster, resetCodes.deadline, streamReset(resetCodes.deadline));
}

/** Trailers that are too large for the link are left out, as `addTrailers` does: nobody waits for them to be whole. */
function endWith(stream: LinkStream, trailers: RawHeaders): void {
  try {
    stream.end(trailers.length > 0 ? trailers : undefined);
  } catch {
    stream.end();
  }
}

function addTrailers(res: ServerResponse, trailers: RawHeaders): void {
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < trailers.length; index += 2) {
    pairs.push([trailers[index] ?? "", trailers[index + 1] ?? ""]);
  }
  try {
    res.addTrailers(pairs);
  } catch {
    // Trailers that HTTP can't carry are left out; the body is whole all the same.
  }
}

// Heads that wait for a body in the same turn of the event loop; one timer for all of them.
let waiting: Exchange[] = [];

function flushSoon(exchange: Exchange): void {
  if (waiting.push(exchange) > 1) return;
  setImmediate(() => {
    const due = waiting;
    waiting = [];
    for (const each of due) each.flush();
  });
}

/** The socket's queue counts as taken up to here, which saves a callback for each chunk of small answers. */
const eagerBytes = 128 * 1024;
