export type { ProxyCounters } from "./counters.ts";
export { type ClusterProxy, createClusterProxy } from "./handler.ts";
export type { LimitsPort, ProxyLimits, ProxyPorts, RecordingPort } from "./ports.ts";
export { createRequestLog } from "./request-log.ts";
