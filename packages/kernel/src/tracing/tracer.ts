// The part of tracing that rooms see. A room's `tracer` is undefined where tracing is off, so that it costs nothing there.

export interface Tracer {
  startSpan(options: SpanOptions): Span;
  /** Runs `work`; a span that it starts without a parent has this one as its parent. */
  within<Result>(span: Span, work: () => Result): Result;
  /** The parent of spans in several programs that share nothing but this key, as `Span.traceParent`. */
  parentOf(key: string): string;
}

export interface Span {
  /** Names this span as the parent of others: the header `traceparent` of W3C Trace Context. */
  readonly traceParent: string;
  /** Only the first call counts. */
  end(result?: SpanResult): void;
}

export interface SpanOptions {
  /** One of few, for example `watch pods`: names, ids and paths are attributes. */
  readonly name: string;
  /** `server` answers a request, `client` sends one, `consumer` takes queued work; `internal` unless told. */
  readonly kind?: "server" | "client" | "consumer" | "internal";
  /** As `Span.traceParent`; one that can't be read is ignored. Absent: the span of `within`, if there is one. */
  readonly parent?: string | undefined;
  /** Milliseconds since 1970; now unless told. */
  readonly startedMs?: number;
  readonly attributes?: SpanAttributes;
}

export interface SpanResult {
  /** Milliseconds since 1970; now unless told. */
  readonly endedMs?: number;
  readonly attributes?: SpanAttributes;
  /** The code of an error; the span counts as failed. Its message stays out: it may quote what others sent. */
  readonly errorCode?: string | undefined;
}

/** Undefined values are left out. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;
