// Sends spans to a collector by OTLP/HTTP, with OpenTelemetry's libraries. The program that traces brings and loads them,
// so that other programs don't carry them.
import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout } from "node:timers/promises";
import type { Attributes, Context } from "@opentelemetry/api";
import type { SpanExporter } from "@opentelemetry/sdk-trace";
import { deriveTraceParent, formatTraceParent, parseTraceParent } from "./trace-parent.ts";
import type { Span, SpanAttributes, SpanOptions, Tracer } from "./tracer.ts";

export interface Tracing extends Tracer, AsyncDisposable {
  readonly counters: TracingCounters;
}

export interface TracingLibraries {
  readonly api: typeof import("@opentelemetry/api");
  readonly exporter: typeof import("@opentelemetry/exporter-trace-otlp-http");
  readonly resources: typeof import("@opentelemetry/resources");
  readonly sdk: typeof import("@opentelemetry/sdk-trace");
}

export interface TracingCounters {
  /** Spans that the collector took. */
  sent: number;
  /** Spans that it didn't take, or for which the queue had no room. */
  lost: number;
}

export interface TracingOptions {
  /** The collector's base URL, for example http://collector.example:4318. */
  readonly endpoint: string;
  /** Read for each batch, so that a token can be replaced. */
  readonly headers?: () => Promise<Readonly<Record<string, string>>>;
  /** The share of traces, 0 to 1, that are kept where a caller hasn't decided. */
  readonly sampleRatio: number;
  /** `service.name` and other facts about this process. */
  readonly resource: Readonly<Record<string, string>>;
  /** Told when the collector stops taking spans, and when it takes them again (undefined). */
  readonly onChanged: (error: Error | undefined) => void;
}

export function openTracing(libraries: TracingLibraries, options: TracingOptions): Tracing {
  const { endpoint, headers, sampleRatio, resource, onChanged } = options;
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } = libraries.api;
  const {
    exporter: { OTLPTraceExporter },
    resources,
    sdk,
  } = libraries;
  const counters: TracingCounters = { sent: 0, lost: 0 };
  const url = new URL("v1/traces", endpoint.endsWith("/") ? endpoint : `${endpoint}/`).href;
  let waiting = 0;
  const exporter = watchExporter(
    new OTLPTraceExporter({ url, timeoutMillis: sendMs, concurrencyLimit: mostBatches, ...(headers && { headers }) }),
    {
      onTaken: (count) => (waiting -= count),
      onSent: (count) => (counters.sent += count),
      onLost: (count) => (counters.lost += count),
      onChanged,
    },
  );
  const processor = new sdk.BatchSpanProcessor({ exporter, ...batches });
  const provider = new sdk.TracerProvider({
    resource: resources.resourceFromAttributes({ ...resource }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(sampleRatio) }),
    spanLimits: { attributeValueLengthLimit: mostCharacters, attributeCountLimit: mostAttributes },
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer("fairlead");
  const current = new AsyncLocalStorage<Span>();
  const kinds = {
    server: SpanKind.SERVER,
    client: SpanKind.CLIENT,
    consumer: SpanKind.CONSUMER,
    internal: SpanKind.INTERNAL,
  } as const;
  return {
    counters,
    startSpan,
    within: (span, work) => current.run(span, work),
    parentOf: (key) => deriveTraceParent(key, sampleRatio),
    // A collector that doesn't answer must not delay the program's end.
    async [Symbol.asyncDispose]() {
      const late = new AbortController();
      await Promise.race([
        provider.shutdown().catch(() => undefined),
        setTimeout(lastMs, undefined, { signal: late.signal, ref: false }).catch(() => undefined),
      ]);
      late.abort();
    },
  };

  function startSpan({ name, kind = "internal", parent, startedMs, attributes = {} }: SpanOptions): Span {
    const started = tracer.startSpan(
      // The SDK bounds attributes, and no name.
      name.slice(0, mostCharacters),
      {
        kind: kinds[kind],
        attributes: toAttributes(attributes),
        ...(startedMs !== undefined && { startTime: new Date(startedMs) }),
      },
      contextOf(parent ?? current.getStore()?.traceParent),
    );
    const { traceId, spanId, traceFlags } = started.spanContext();
    let isOver = false;
    return {
      traceParent: formatTraceParent({ traceId, spanId, isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0 }),
      end({ attributes: late = {}, errorCode, endedMs } = {}) {
        if (isOver || !started.isRecording()) return;
        isOver = true;
        // A trace is worth less than the work that it describes.
        if (waiting >= mostWaiting) {
          counters.lost += 1;
          return;
        }
        waiting += 1;
        started.setAttributes(toAttributes({ ...late, "error.type": errorCode }));
        if (errorCode !== undefined) started.setStatus({ code: SpanStatusCode.ERROR });
        started.end(endedMs === undefined ? undefined : new Date(endedMs));
      },
    };
  }

  function contextOf(parent: string | undefined): Context {
    const known = parseTraceParent(parent);
    if (known === undefined) return ROOT_CONTEXT;
    const { traceId, spanId, isSampled } = known;
    const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
    return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
  }
}

function toAttributes(attributes: SpanAttributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined)) as Attributes;
}

/** OpenTelemetry's exporters keep their errors to themselves. */
function watchExporter(
  inner: SpanExporter,
  told: {
    readonly onTaken: (count: number) => void;
    readonly onSent: (count: number) => void;
    readonly onLost: (count: number) => void;
    readonly onChanged: TracingOptions["onChanged"];
  },
): SpanExporter {
  let isFailing = false;
  return {
    export(spans, done) {
      told.onTaken(spans.length);
      inner.export(spans, (result) => {
        const { code, error = new Error("The collector didn't take the spans.") } = result;
        const isFailed = code !== 0;
        (isFailed ? told.onLost : told.onSent)(spans.length);
        if (isFailed !== isFailing) told.onChanged(isFailed ? error : undefined);
        isFailing = isFailed;
        done(result);
      });
    },
    shutdown: () => inner.shutdown(),
  };
}

/** A span takes at most some 10 KiB: 32 attributes of 256 characters. */
const mostWaiting = 2048;
const mostCharacters = 256;
const mostAttributes = 32;
const sendMs = 5_000;
const batches = {
  maxQueueSize: mostWaiting,
  maxExportBatchSize: 512,
  scheduledDelayMillis: 2_000,
  exportTimeoutMillis: sendMs + 1_000,
};
/** All that wait, at the program's end. */
const mostBatches = 1 + mostWaiting / batches.maxExportBatchSize;
const lastMs = 2_000;
