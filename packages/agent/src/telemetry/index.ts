export { type HealthServer, serveHealth } from "./health.ts";
export { createLogger } from "./logger.ts";
export { createMetrics } from "./metrics.ts";
