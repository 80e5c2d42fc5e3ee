// Argo CD on the hub takes names of objects from an application's tree, and asks the application's destination for them, with
// its own rights there. So the cluster that wrote the tree has to be that destination: with any other one, a cluster would
// name objects of the hub's own cluster, or of somebody else's, for Argo CD to show and to delete.
import type { GitopsObject } from "@fairlead/protocol";
import { destinationOf } from "../destinations/index.ts";
import type { CachedKey } from "./cached-key.ts";
import { resourceTreeErrors } from "./errors.ts";

export interface DestinationOptions {
  /** That the tree would come from. */
  readonly cluster: string;
  readonly key: Pick<CachedKey, "namespace" | "name">;
  readonly argoNamespace: string;
  readonly findApplication: (namespace: string, name: string) => Promise<GitopsObject | undefined>;
}

/** Looks at the application each time: an answer of before could be for the former destination. */
export async function requireDestination(options: DestinationOptions): Promise<void> {
  const { cluster, key, argoNamespace, findApplication } = options;
  const namespace = key.namespace === "" ? argoNamespace : key.namespace;
  const application = await findApplication(namespace, key.name);
  if (application && destinationOf(application) === cluster) return;
  throw resourceTreeErrors.RESOURCE_TREE_DESTINATION_OTHER({ application: `${namespace}/${key.name}`, cluster });
}
