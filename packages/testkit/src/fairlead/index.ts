export { endDatabase } from "./end-database.ts";
export { ensureBuilt, testRunVariable } from "./ensure-built.ts";
export { createAgentKubeconfig, type JoinedCluster, joinCluster } from "./join-cluster.ts";
export { findLogLines } from "./log-lines.ts";
export {
  type Program,
  programArgs,
  programsVariable,
  type Restartable,
  scriptArgs,
  startProgram,
} from "./node-program.ts";
export type { SignIn } from "./sign-in.ts";
export { type StartAgentOptions, startAgent, type TestAgent } from "./start-agent.ts";
export { type StartHubOptions, startHub, type TestHub } from "./start-hub.ts";
export { type HubCables, type StartHubsOptions, startHubs, type TestHubs } from "./start-hubs.ts";
