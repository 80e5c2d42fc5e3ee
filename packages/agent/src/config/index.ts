export type { ArgoRedisConfig } from "./argo-redis.ts";
export { configErrors, listenFailed } from "./errors.ts";
export { printHelp } from "./help.ts";
export type { ListenAddress } from "./listen-address.ts";
export { type AgentConfig, type ExecuteConfig, type Invocation, type ObserveConfig, readInvocation } from "./load.ts";
export { agentProgram } from "./settings.ts";
export type { SharedBackendsConfig } from "./shared-backends.ts";
