export { fairleadAgent } from "./fairlead-agent.ts";
