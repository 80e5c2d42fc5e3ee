export type { FlowTotals, GitopsTotals } from "./gitops-metrics.ts";
export { type Heartbeat, startHeartbeat } from "./heartbeat.ts";
export { loadTracing } from "./load-tracing.ts";
export { createLogger, describeError, type Logger, type LogLevel } from "./logger.ts";
export {
  type AuditTotals,
  type CommandTotals,
  createMetrics,
  type InventoryTotals,
  type LinkTotals,
  type MetricSources,
  type Metrics,
} from "./metrics.ts";
export { type Check, createReadiness, type Readiness, type ReadinessReport } from "./readiness.ts";
