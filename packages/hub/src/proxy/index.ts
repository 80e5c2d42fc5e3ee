export type { ProxyCounters } from "./counters.ts";
export { type ClusterProxy, createClusterProxy } from "./handler.ts";
export type {
  AuditOutcome,
  AuditPort,
  AuditStart,
  AuditTrail,
  LimitLease,
  LimitsPort,
  ProxyLimits,
  ProxyPorts,
  RecordingPort,
  SessionTap,
} from "./ports.ts";
export { createRequestLog } from "./request-log.ts";
