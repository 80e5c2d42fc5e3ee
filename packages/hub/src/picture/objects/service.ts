// Answers about objects over clusters: lists and changes, one object, and sums.
import type { ClusterInventory } from "@fairlead/contract";
import { createAgeReader } from "./ages.ts";
import { describeInventory } from "./cluster-inventory.ts";
import { createDetails, type Details } from "./detail.ts";
import { createLists, type Lists } from "./lists.ts";
import type { RequestReader } from "./request.ts";
import { createRollups, type Rollups } from "./rollups.ts";
import type { ObjectQueries, StoreFor } from "./store.ts";
import type { Asking, ClusterNames, ObjectAccess, ObjectInventory } from "./types.ts";

export interface Objects extends Lists, Details, Rollups {
  /** Makes one cluster's own page. Throws CLUSTER_NOT_FOUND. */
  inventory(cluster: string, asking: Asking): Promise<ClusterInventory>;
}

export function createObjects(options: {
  readonly access: ObjectAccess;
  readonly inventory: ObjectInventory;
  readonly requests: RequestReader;
  readonly store: ObjectQueries;
  readonly storeFor: StoreFor;
  readonly clusters: Pick<ClusterNames, "exists">;
  readonly kubernetesVersion: (cluster: string) => string | undefined;
}): Objects {
  const { access, inventory, requests, store, storeFor, clusters, kubernetesVersion } = options;
  const ages = createAgeReader({ inventory, clusters });
  return {
    ...createLists({ requests, storeFor, ages }),
    ...createDetails({ access, inventory, requests, store }),
    ...createRollups({ access, inventory, requests, store, storeFor, ages, kubernetesVersion }),
    inventory: (cluster, { principal }) => describeInventory({ inventory, access, cluster, principal }),
  };
}
