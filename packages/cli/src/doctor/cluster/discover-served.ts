import type { SnapshotParts } from "@fairlead/doctor";
import { type ApiResource, discoverApis, type KubeClient, kubeErrors, resourceKey } from "@fairlead/kube";

export interface Served {
  /** As CRDs are named: `deployments.apps`. */
  readonly resources: ReadonlyMap<string, ApiResource>;
  /** Groups that nobody could be asked about. */
  readonly undiscovered: SnapshotParts["undiscovered"];
}

export interface DiscoverOptions {
  readonly client: KubeClient;
  readonly signal: AbortSignal;
  /** `signal`, and the end of the time for all reading. */
  readonly deadline: AbortSignal;
}

/** Everyone who is signed in may ask that, unless the cluster's admins took it away. */
export async function discoverServed({ client, signal, deadline }: DiscoverOptions): Promise<Served> {
  try {
    const { resources, unavailable } = await discoverApis({ client, signal: deadline });
    const groups = [...new Set(unavailable.map(({ group }) => group))].sort();
    const why = `the API server can't reach the servers of ${groups.join(", ")}`;
    return {
      resources: new Map(resources.map((resource) => [resourceKey(resource), resource])),
      undiscovered: groups.length === 0 ? undefined : { groups, why },
    };
  } catch (error) {
    if (kubeErrors.is(error, "KUBE_FORBIDDEN")) return nothing("you may not ask the API server what it serves");
    if (deadline.aborted && !signal.aborted) return nothing("the time for reading was over");
    throw error;
  }
}

function nothing(why: string): Served {
  return { resources: new Map(), undiscovered: { groups: "all", why } };
}
