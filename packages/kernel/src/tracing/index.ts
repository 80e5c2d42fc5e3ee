export type { Tracing, TracingCounters, TracingLibraries } from "./open-tracing.ts";
export { type TracingConfig, tracingSettings } from "./settings.ts";
export { startTracing } from "./start-tracing.ts";
export { findTraceParent, replaceTraceParent } from "./trace-parent.ts";
export type { Span, SpanAttributes, SpanOptions, SpanResult, Tracer } from "./tracer.ts";
