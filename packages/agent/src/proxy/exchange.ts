// A proxied request: the handlers of its stream and of its request to the API server in a single object, because this
// is the hot path. It retries nothing: only the caller knows if a request may be repeated.
import type { Duplex, Readable } from "node:stream";
import { type Clock, type FairleadError, isFairleadError, toFairleadError } from "@fairlead/kernel";
import { replaceTraceParent, type Span, type Tracer } from "@fairlead/kernel/tracing";
import { type KubePool, type RequestAttributes, readRequestAttributes } from "@fairlead/kube";
import { isArgoCaller, type LinkStream, type RawHeaders, resetCodes, type StreamHandlers } from "@fairlead/protocol";
import type { Dispatcher } from "undici";
import { type JudgedRequest, policyDenied, type Verdict } from "../policy/index.ts";
import { type BodyPlan, createBodySource, planBody } from "./body.ts";
import { countError, type ProxyCounters } from "./counters.ts";
import { proxyErrors, upgradeRefused, upstreamBroken } from "./errors.ts";
import { readAllLines, readRequestLines, readResponseLines } from "./headers.ts";
import { pushIdentityLines } from "./identity.ts";
import { joinPipe } from "./pipe.ts";
import { answerStatus } from "./status.ts";
import { startRequestSpan, toSpanResult } from "./trace-request.ts";
import { explainUpstreamError } from "./upstream-error.ts";

export interface ProxyContext {
  readonly pool: KubePool;
  readonly clock: Clock;
  readonly counters: ProxyCounters;
  judge(request: JudgedRequest): Verdict;
  /** For Argo CD on the hub, before anything is sent. Rejects when the request reaches beyond what it tracks. */
  requireTracked(request: JudgedRequest & { readonly path: string; readonly signal: AbortSignal }): Promise<void>;
  onOver(exchange: Exchange): void;
  readonly tracer?: Tracer | undefined;
  onFinished?(stream: LinkStream, outcome: ProxyOutcome): void;
}

export interface ProxyOutcome {
  /** 0 when there was no answer of the API server's. */
  readonly status: number;
  readonly error: FairleadError | undefined;
  /** The request's attributes, where they could be read. */
  readonly attributes: RequestAttributes | undefined;
}

export class Exchange implements StreamHandlers, Dispatcher.DispatchHandler {
  readonly #context: ProxyContext;
  readonly #stream: LinkStream;
  #controller: Dispatcher.DispatchController | undefined;
  #judged: JudgedRequest | undefined;
  #lines: string[] = [];
  readonly #identityLines: string[] = [];
  #upgradeTo: string | undefined;
  #body: BodyPlan = { kind: "none" };
  #source: Readable | undefined;
  #gathered: Uint8Array[] = [];
  #gatheredBytes = 0;
  #pipe: StreamHandlers | undefined;
  #status = 0;
  readonly #startedMs: number;
  #span: Span | undefined;
  #requestEnded = false;
  #stopChecking: (() => void) | undefined;
  #over = false;

  constructor(context: ProxyContext, stream: LinkStream) {
    this.#context = context;
    this.#stream = stream;
    context.counters.inFlight++;
    this.#startedMs = context.clock.steadyMs();
  }

  start(): void {
    const { open } = this.#stream;
    try {
      const { identity } = open;
      if (!identity) throw proxyErrors.PROXY_IDENTITY_MISSING();
      // It would make a tunnel of the connection: requests within would have no identity, but the agent's certificate.
      if (/^connect$/i.test(open.method))
        throw proxyErrors.PROXY_REQUEST_INVALID({ detail: "CONNECT isn't a request to an API" });
      const attributes = readRequestAttributes(open);
      if (!attributes) throw proxyErrors.PROXY_REQUEST_INVALID({ detail: "its path is ambiguous" });
      const { tracer } = this.#context;
      if (tracer) this.#span = startRequestSpan(tracer, { open, attributes });
      this.#judged = { attributes, identity };
      const verdict = this.#context.judge(this.#judged);
      if (!verdict.allowed) throw policyDenied(verdict);
      const request = readRequestLines(open.headers);
      pushIdentityLines(this.#identityLines, identity);
      this.#lines = replaceTraceParent(request.lines, this.#span);
      if (open.requestId && !request.hasAuditId) this.#lines.push("Audit-ID", open.requestId);
      this.#body = planBody(open.method, request);
      if (request.contentLength) this.#lines.push("Content-Length", String(request.contentLength));
      if (open.upgrade) {
        this.#upgradeTo = readUpgrade(request.upgradeTo, this.#body);
        this.#body = { kind: "none" };
      }
    } catch (error) {
      this.#fail(
        isFairleadError(error)
          ? error
          : proxyErrors.PROXY_REQUEST_INVALID({ detail: "it can't be parsed", cause: error }),
      );
      return;
    }
    if (this.#body.kind === "none" || this.#body.kind === "stream") this.#send();
  }

  /** Another policy is in force: what it forbids doesn't go on. */
  judgeAgain(): void {
    if (this.#over || !this.#judged) return;
    const verdict = this.#context.judge(this.#judged);
    if (verdict.allowed) return;
    const error = policyDenied(verdict);
    if (!this.#pipe) {
      this.#fail(error);
      return;
    }
    countError(this.#context.counters, error.code);
    this.#stream.reset(resetCodes.cancelled, error.message);
    this.#finish(error);
    this.#pipe.onReset(error, resetCodes.cancelled);
  }

  // ---- from the link ----

  onData(chunk: Uint8Array): void {
    if (this.#over) {
      this.#stream.consumed(chunk.length);
      return;
    }
    if (this.#pipe) {
      this.#pipe.onData(chunk);
      return;
    }
    // Bytes that an eager client sends before its 101 wait here; the stream's credit bounds them.
    if (this.#upgradeTo !== undefined) {
      this.#gather(chunk);
      return;
    }
    switch (this.#body.kind) {
      case "none":
        this.#fail(proxyErrors.PROXY_REQUEST_INVALID({ detail: "it has a body, but its headers announce none" }));
        return;
      case "gather":
        if (this.#gatheredBytes + chunk.length > this.#body.sizeBytes) {
          this.#fail(proxyErrors.PROXY_REQUEST_INVALID({ detail: "its body is longer than announced" }));
          return;
        }
        this.#gather(chunk);
        return;
      case "undecided":
        this.#body = { kind: "stream" };
        this.#send();
        this.#source?.push(chunk);
        return;
      case "stream":
        this.#source?.push(chunk);
    }
  }

  onEnd(trailers: RawHeaders): void {
    this.#requestEnded = true;
    if (this.#over) return;
    if (this.#pipe) {
      this.#pipe.onEnd(trailers);
      return;
    }
    switch (this.#body.kind) {
      case "none":
        return;
      case "gather":
        if (this.#gatheredBytes < this.#body.sizeBytes) {
          this.#fail(proxyErrors.PROXY_REQUEST_INVALID({ detail: "its body is shorter than announced" }));
          return;
        }
        this.#send();
        return;
      case "undecided":
        this.#body = { kind: "none" };
        this.#send();
        return;
      case "stream":
        this.#source?.push(null);
    }
  }

  onReset(error: FairleadError): void {
    if (this.#over) return;
    this.#context.counters.aborted++;
    this.#pipe?.onReset(error, resetCodes.cancelled);
    this.#finish(undefined);
    this.#abort(error);
  }

  onWritable(): void {
    if (this.#pipe) {
      this.#pipe.onWritable?.();
      return;
    }
    // Never from inside a parser: resuming runs one, and they share a buffer.
    if (parsers > 0) queueMicrotask(() => this.#controller?.resume());
    else this.#controller?.resume();
  }

  // ---- from the API server ----

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#over) controller.abort(new Error("The stream is over."));
  }

  onBodySent(chunk: Uint8Array): void {
    this.#context.counters.bytesToUpstream += chunk.length;
    if (!this.#over) this.#stream.consumed(chunk.length);
  }

  onRequestUpgrade(controller: Dispatcher.DispatchController, status: number, _: unknown, socket: Duplex): void {
    // Data errors before the pipe is joined must not be unhandled.
    socket.on("error", () => undefined);
    if (this.#over) return void socket.destroy();
    if (this.#upgradeTo === undefined) {
      socket.destroy();
      this.#fail(upstreamBroken(this.#context.pool.access.server.host, new Error("an upgrade nobody asked for")));
      return;
    }
    const { clock, counters } = this.#context;
    this.#status = status;
    counters.upgraded++;
    this.#stream.respond({ status, headers: readAllLines(controller.rawHeaders as Buffer[]) });
    const onOver = (): void => this.#finish(undefined);
    this.#pipe = joinPipe({ stream: this.#stream, socket, clock, counters, onOver });
    for (const chunk of this.#gathered.splice(0)) this.#pipe.onData(chunk);
    if (this.#requestEnded) this.#pipe.onEnd([]);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    // 1xx are about the way there; 101 never comes here.
    if (this.#over || status < 200) return;
    if (this.#upgradeTo !== undefined && status >= 300 && status < 400) {
      this.#fail(proxyErrors.PROXY_UPGRADE_REDIRECTED({ status }));
      this.#abort(new Error("redirected upgrade"));
      return;
    }
    const { clock, counters } = this.#context;
    counters.responses.observe((clock.steadyMs() - this.#startedMs) / 1000);
    this.#stream.respond({ status, headers: readResponseLines(controller.rawHeaders as Buffer[]) });
    this.#status = status;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#over) return;
    this.#context.counters.bytesFromUpstream += chunk.length;
    parsers++;
    const more = this.#stream.write(chunk);
    parsers--;
    if (!more) controller.pause();
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    if (this.#over) return;
    const trailers = controller.rawTrailers as Buffer[] | undefined;
    this.#stream.end(trailers && trailers.length > 0 ? readAllLines(trailers) : undefined);
    this.#context.counters.answered++;
    this.#finish(undefined);
  }

  onResponseError(_: Dispatcher.DispatchController | null, cause: Error): void {
    if (this.#over) return;
    this.#fail(explainUpstreamError(this.#context.pool.access.server.host, cause));
  }

  // ---- ----

  #gather(chunk: Uint8Array): void {
    this.#gathered.push(chunk);
    this.#gatheredBytes += chunk.length;
  }

  #send(): void {
    if (this.#body.kind === "stream") this.#source = createBodySource();
    const judged = this.#judged;
    if (!judged || !isArgoCaller(judged.identity)) {
      this.#authorize();
      return;
    }
    const checking = new AbortController();
    this.#stopChecking = () => checking.abort(new Error("The stream is over."));
    this.#context.requireTracked({ ...judged, path: this.#stream.open.path, signal: checking.signal }).then(
      () => this.#authorize(),
      (error: unknown) => this.#fail(toFairleadError(error)),
    );
  }

  #authorize(): void {
    if (this.#over) return;
    let authorization: string | undefined | Promise<string | undefined>;
    try {
      authorization = this.#context.pool.access.authorization();
    } catch (error) {
      this.#fail(proxyErrors.PROXY_CREDENTIAL_UNAVAILABLE({ cause: error }));
      return;
    }
    if (!(authorization instanceof Promise)) {
      this.#dispatch(authorization);
      return;
    }
    authorization.then(
      (value) => this.#dispatch(value),
      (error: unknown) => this.#fail(proxyErrors.PROXY_CREDENTIAL_UNAVAILABLE({ cause: error })),
    );
  }

  #dispatch(authorization: string | undefined): void {
    if (this.#over) return;
    const { pool } = this.#context;
    const { open } = this.#stream;
    if (authorization !== undefined) this.#lines.push("Authorization", authorization);
    // Without them the request would have the agent's own rights.
    if (this.#identityLines[0] !== "Impersonate-User")
      throw new Error("A request without an identity was let through.");
    this.#lines.push(...this.#identityLines);
    const options: Dispatcher.DispatchOptions = {
      method: open.method,
      path: pool.basePath + open.path,
      headers: this.#lines,
      body: this.#source ?? this.#takeGathered(),
      headersTimeout: open.deadlineMs,
    };
    // `reset: false` keeps the connection after HEAD, and after DELETE with a body, which undici would close.
    if (this.#upgradeTo === undefined) pool.dispatch({ ...options, reset: false }, this);
    else pool.dispatchUpgrade({ ...options, upgrade: this.#upgradeTo }, this);
  }

  #takeGathered(): Buffer | null {
    if (this.#upgradeTo !== undefined || this.#gathered.length === 0) return null;
    const [first] = this.#gathered.splice(0, this.#gathered.length === 1 ? 1 : 0);
    if (first) return Buffer.from(first.buffer, first.byteOffset, first.byteLength);
    return Buffer.concat(this.#gathered.splice(0));
  }

  /** Before the head the asker gets a sentence; after it a reset, because a cut must never look like a clean end. */
  #fail(error: FairleadError): void {
    if (this.#over) return;
    countError(this.#context.counters, error.code);
    if (this.#status === 0) answerStatus(this.#stream, error, { method: this.#stream.open.method });
    else this.#stream.reset(resetCodes.upstreamBroken, error.message);
    this.#finish(error);
    this.#abort(error);
  }

  #finish(error: FairleadError | undefined): void {
    if (this.#over) return;
    this.#over = true;
    this.#context.counters.inFlight--;
    // Chunks that were gathered and not sent were held on the stream's credit.
    for (const chunk of this.#gathered.splice(0)) this.#stream.consumed(chunk.length);
    this.#source?.destroy();
    this.#stopChecking?.();
    this.#span?.end(toSpanResult({ status: this.#status, error }));
    this.#context.onOver(this);
    this.#context.onFinished?.(this.#stream, { status: this.#status, error, attributes: this.#judged?.attributes });
  }

  #abort(reason: Error): void {
    this.#controller?.abort(reason);
  }
}

function readUpgrade(token: string | undefined, body: BodyPlan): string {
  if (token === undefined || !/^(websocket|spdy\/3\.1)$/i.test(token)) throw upgradeRefused(token ?? "nothing");
  if (body.kind === "gather" || body.kind === "stream")
    throw proxyErrors.PROXY_REQUEST_INVALID({ detail: "it is an upgrade with a body" });
  return token;
}

/** How many of undici's parsers are on the stack right now. */
let parsers = 0;
