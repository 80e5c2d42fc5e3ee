export { type Agent, startAgent } from "./agent.ts";
export type { AgentConfig } from "./config/index.ts";
