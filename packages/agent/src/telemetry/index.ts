export { serveHealth } from "./health.ts";
export { loadTracing } from "./load-tracing.ts";
export { createLogger } from "./logger.ts";
export { agentMetrics } from "./metric-table.ts";
export { createMetrics } from "./metrics.ts";
export { serveMetrics } from "./metrics-listener.ts";
