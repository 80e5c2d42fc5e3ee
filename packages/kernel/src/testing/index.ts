export { createMovableClock, createSkippingClock, type MovableClock, type SkippingClock } from "./clocks.ts";
export { until, waitUntil } from "./wait-until.ts";
export { type CollectedSpan, type Collector, startCollector } from "./start-collector.ts";
