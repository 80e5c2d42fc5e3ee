// Argo CD applications on the hub whose deletion waits for a cluster that is to go.
import type { LeavingApplications } from "@fairlead/contract";
import { isFairleadError } from "@fairlead/kernel";
import type { CommandContext } from "../context.ts";

/** Undefined: there are none, the hub is too old to tell, or the caller may not know. */
export async function countLeaving(context: CommandContext, cluster: string): Promise<LeavingApplications | undefined> {
  const hub = await context.hub();
  try {
    const found = await hub.countLeavingApplications(cluster, { signal: context.signal });
    return found.applications > 0 ? found : undefined;
  } catch (error) {
    if (isFairleadError(error) && (error.httpStatus === 403 || error.httpStatus === 404)) return undefined;
    throw error;
  }
}

/** A sentence. */
export function describeLeaving({ applications, deleting }: LeavingApplications): string {
  const waiting = deleting > 0 ? `, ${deleting} of which ${deleting === 1 ? "is" : "are"} being deleted now` : "";
  const many = applications === 1 ? "1 application" : `${applications} applications`;
  return `The hub has ${many} of this cluster${waiting}.`;
}
