// Applications that were let go don't come back: a protected cluster is found before. The hub has the last word.
import { isFairleadError } from "@fairlead/kernel";
import type { CommandContext } from "../context.ts";
import { cliErrors } from "../errors.ts";

export async function requireUnprotected(context: CommandContext, name: string): Promise<void> {
  const hub = await context.hub();
  const found = await hub.getCluster(name, { signal: context.signal }).catch((error: unknown) => {
    // The hub answers the command itself with the reason when the user may not read the cluster.
    if (isFairleadError(error) && (error.httpStatus === 403 || error.httpStatus === 404)) return undefined;
    throw error;
  });
  if (found?.protected) throw cliErrors.CLI_CLUSTER_PROTECTED({ name });
}
