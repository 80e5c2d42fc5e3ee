import type { Kysely } from "kysely";
import type { Tables } from "../store/index.ts";
import { createNamespaces } from "./namespaces.ts";
import { createRequestReader, type RequestReader } from "./request.ts";
import { createObjects, type Objects } from "./service.ts";
import { createObjectStore, type ObjectStore } from "./store.ts";
import type { ClusterNames, ObjectAccess, ObjectInventory } from "./types.ts";

/** Objects as the API answers about them, with the parts that the live room builds on. */
export interface ObjectsRoom extends Objects {
  readonly requests: RequestReader;
  readonly store: Pick<ObjectStore, "list" | "listChanged">;
}

export function openObjects(options: {
  readonly db: Kysely<Tables>;
  readonly access: ObjectAccess;
  readonly clusters: ClusterNames;
  readonly inventory: ObjectInventory;
  /** As the agent last told it. */
  readonly kubernetesVersion: (cluster: string) => string | undefined;
}): ObjectsRoom {
  const { db, access, clusters, inventory, kubernetesVersion } = options;
  const store = createObjectStore(db);
  const listNamespaces = createNamespaces({ inventory, list: store.listNamespaces });
  const requests = createRequestReader({ access, clusters, inventory, listNamespaces });
  return {
    ...createObjects({ access, inventory, requests, store, listNamespaces, clusters, kubernetesVersion }),
    requests,
    store,
  };
}
