export type { ProxyCounters } from "./counters.ts";
export { type ClusterProxy, createClusterProxy } from "./handler.ts";
export type { ProxyFailure, ProxyLimits, ProxyPorts } from "./ports.ts";
