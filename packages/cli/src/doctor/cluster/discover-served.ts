import type { SnapshotParts } from "@fairlead/doctor";
import { type ApiResource, discoverApis, type KubeClient, kubeErrors, resourceKey } from "@fairlead/kube";

export interface Served {
  /** As CRDs are named: `deployments.apps`. */
  readonly resources: ReadonlyMap<string, ApiResource>;
  /** Groups that nobody could be asked about. */
  readonly undiscovered: SnapshotParts["undiscovered"];
}

/** Everyone who is signed in may ask that, unless the cluster's admins took it away. */
export async function discoverServed(client: KubeClient, signal: AbortSignal): Promise<Served> {
  try {
    const { resources, unavailable } = await discoverApis({ client, signal });
    const groups = [...new Set(unavailable.map(({ group }) => group))].sort();
    const why = `the API server can't reach the servers of ${groups.join(", ")}`;
    return {
      resources: new Map(resources.map((resource) => [resourceKey(resource), resource])),
      undiscovered: groups.length === 0 ? undefined : { groups, why },
    };
  } catch (error) {
    if (!kubeErrors.is(error, "KUBE_FORBIDDEN")) throw error;
    const why = "you may not ask the API server which resources it serves";
    return { resources: new Map(), undiscovered: { groups: "all", why } };
  }
}
