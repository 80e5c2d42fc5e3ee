export { clusterAccessMissing, listenFailed } from "./errors.ts";
export { type AgentConfig, type Invocation, readInvocation } from "./load.ts";
export { describeOptions } from "./options.ts";
