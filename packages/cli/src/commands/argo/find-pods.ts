// Asks a cluster for the pods of an application, by as few lists as it takes.
import type { ApplicationDetail, HubClient } from "@fairlead/contract";
import { intermediateKinds, type OwnedObject, type ResourceName, selectPods } from "./application-pods.ts";

export interface FoundPod extends OwnedObject {
  readonly spec: {
    readonly containers: readonly { readonly name: string }[];
    readonly initContainers?: readonly { readonly name: string }[];
  };
}

export type ResourceFilter = Partial<ResourceName>;

export async function findPods(options: {
  readonly hub: Pick<HubClient, "readFromCluster">;
  readonly application: Pick<ApplicationDetail, "cluster" | "status">;
  readonly filter: ResourceFilter;
  readonly signal: AbortSignal;
}): Promise<FoundPod[]> {
  const { hub, application, filter, signal } = options;
  const resources = readResources(application.status).filter(
    (one) =>
      (filter.kind === undefined || one.kind.toLowerCase() === filter.kind.toLowerCase()) &&
      (filter.namespace === undefined || one.namespace === filter.namespace) &&
      (filter.name === undefined || one.name === filter.name),
  );
  const found: FoundPod[] = [];
  for (const namespace of new Set(resources.flatMap(({ namespace: at }) => (at === "" ? [] : at)))) {
    const pods = await list<FoundPod>("Pod", `/api/v1/namespaces/${namespace}/pods`);
    const between: OwnedObject[] = [];
    for (const { kind, root, plural } of intermediateKinds)
      if (pods.some(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.kind === kind)))
        between.push(...(await list(kind, `${root}/namespaces/${namespace}/${plural}`)));
    found.push(...selectPods({ resources, pods, between }));
  }
  return found;

  /** Objects in a list don't say their kind. */
  async function list<T extends OwnedObject>(kind: string, path: string): Promise<T[]> {
    const objects: T[] = [];
    let token = "";
    do {
      const query = new URLSearchParams({ limit: "500", ...(token === "" ? {} : { continue: token }) });
      const page = (await hub.readFromCluster(application.cluster, `${path}?${query}`, { signal })) as Page<T>;
      objects.push(...page.items.map((item) => ({ ...item, kind })));
      token = page.metadata?.continue ?? "";
    } while (token !== "");
    return objects;
  }
}

/** As the cluster's Argo CD told last. */
function readResources(status: ApplicationDetail["status"]): ResourceName[] {
  const resources = status["resources"];
  if (!Array.isArray(resources)) return [];
  return (resources as Partial<ResourceName>[]).map(({ kind = "", namespace = "", name = "" }) => ({
    kind,
    namespace,
    name,
  }));
}

interface Page<T> {
  readonly items: readonly T[];
  readonly metadata?: { readonly continue?: string };
}
