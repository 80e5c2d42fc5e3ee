export type { FlowTotals, GitopsTotals } from "./gitops-metrics.ts";
export { type Heartbeat, startHeartbeat } from "./heartbeat.ts";
export { loadTracing } from "./load-tracing.ts";
export { createLogger, type Logger, type LogLevel } from "./logger.ts";
export type {
  AuditTotals,
  ClusterCommands,
  ClusterTraffic,
  CommandTotals,
  CopyTotals,
  InventoryTotals,
  LinkTotals,
  MetricSources,
  OpenCommands,
  ShareReading,
} from "./metric-sources.ts";
export { hubMetrics } from "./metric-table.ts";
export { createMetrics, type Metrics } from "./metrics.ts";
export { type Check, createReadiness, type Readiness, type ReadinessReport } from "./readiness.ts";
