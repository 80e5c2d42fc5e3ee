export { type HealthServer, serveHealth } from "./health.ts";
export { loadTracing } from "./load-tracing.ts";
export { createLogger } from "./logger.ts";
export { createMetrics } from "./metrics.ts";
