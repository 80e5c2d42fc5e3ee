import type { Kysely } from "kysely";
import type { Principal } from "../../people/access/index.ts";
import type { Tables } from "../../platform/store/index.ts";
import { createCostlyTurns, isCostly } from "./costly-turns.ts";
import type { Filter } from "./filter.ts";
import { createRequestReader, type RequestReader } from "./request.ts";
import { createObjects, type Objects } from "./service.ts";
import { createObjectQueries, type ObjectQueries, type StoreFor } from "./store.ts";
import type { ClusterNames, ObjectAccess, ObjectInventory } from "./types.ts";

/** Objects as the API answers about them, with the parts that the live room builds on. */
export interface ObjectsRoom extends Objects {
  readonly requests: RequestReader;
  /** As the caller may ask it: what no index answers waits for its turn. Throws OBJECTS_TOO_BUSY. */
  readonly storeFor: StoreFor;
  /** Its changes are for what is told to all who follow. */
  readonly store: Pick<ObjectQueries, "list" | "listChanged">;
}

export function openObjects(options: {
  readonly db: Kysely<Tables>;
  /** For what people ask; the same unless told. */
  readonly queries?: Kysely<Tables> | undefined;
  readonly access: ObjectAccess;
  readonly clusters: ClusterNames;
  readonly inventory: ObjectInventory;
  /** As the agent last told it. */
  readonly kubernetesVersion: (cluster: string) => string | undefined;
}): ObjectsRoom {
  const { db, queries = db, access, clusters, inventory, kubernetesVersion } = options;
  const store = createObjectQueries(queries);
  // All followers share this look for changes, so it mustn't wait behind the questions of one.
  const { listChanged } = createObjectQueries(db);
  const turns = createCostlyTurns();
  const requests = createRequestReader({ access, clusters, inventory });
  return {
    ...createObjects({ access, inventory, requests, store, storeFor, clusters, kubernetesVersion }),
    requests,
    store: { list: store.list, listChanged },
    storeFor,
  };

  function storeFor({ uid }: Principal, filter: Filter): ReturnType<StoreFor> {
    if (!isCostly(filter)) return store;
    return {
      list: (asked) => turns.run(uid, () => store.list(asked)),
      listReferences: (asked) => turns.run(uid, () => store.listReferences(asked)),
      count: (asked) => turns.run(uid, () => store.count(asked)),
      listChanged: (asked) => store.listChanged(asked),
    };
  }
}
