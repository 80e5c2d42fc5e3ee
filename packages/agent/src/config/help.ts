import { formatHelp } from "@fairlead/kernel/settings";
import { agentProgram } from "./settings.ts";

export function printHelp(): string {
  return `${usage}\n${formatHelp(agentProgram)}`;
}

const usage = `Connect this cluster to a Fairlead hub.

Usage:
  fairlead-agent --hub URL --token-file FILE [flags]
`;
