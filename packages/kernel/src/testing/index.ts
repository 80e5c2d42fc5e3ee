export { createMovableClock, createSkippingClock, type MovableClock, type SkippingClock } from "./clocks.ts";
export { type CollectedSpan, type Collector, startCollector } from "./start-collector.ts";
export { until, waitUntil } from "./wait-until.ts";
