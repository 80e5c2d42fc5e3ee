import type { Role } from "@fairlead/protocol";

/**
 * A line for the shell that starts an agent. The token isn't in it: arguments are there for every user of a machine
 * to see. It goes into the named file, which only its owner should read.
 */
export function formatJoinCommand(options: {
  readonly cluster: string;
  readonly hubAgentUrl: string;
  readonly roles: readonly Role[];
}): string {
  const { cluster, hubAgentUrl, roles } = options;
  return `fairlead-agent --hub ${quote(hubAgentUrl)} --roles ${roles.join(",")} --token-file ./${cluster}.join-token`;
}

function quote(text: string): string {
  return /^[\w@%+=:,./[\]-]+$/.test(text) && !/[[\]]/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
