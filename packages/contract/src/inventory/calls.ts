import { toQueryString } from "../audit/index.ts";
import type { CallOptions, Send } from "../send.ts";
import { type ObjectDetail, type ObjectList, objectDetailSchema, objectListSchema } from "./object.ts";
import {
  type ClusterInventory,
  type ClusterInventoryList,
  type ConfirmClusterRequest,
  clusterInventoryListSchema,
  clusterInventorySchema,
  type KindList,
  kindListSchema,
  type ObjectChangeList,
  objectChangeListSchema,
  type RollupList,
  rollupListSchema,
} from "./overview.ts";
import { inventoryPaths as paths } from "./paths.ts";
import type { ChangeQuery, ObjectQuery, RollupQuery } from "./query.ts";

export interface InventoryCalls {
  listObjects(query: ObjectQuery, options?: CallOptions): Promise<ObjectList>;
  getObject(ref: { cluster: string; uid: string }, options?: CallOptions): Promise<ObjectDetail>;
  getNamedObject(
    ref: { cluster: string; kind: string; namespace?: string | undefined; name: string },
    options?: CallOptions,
  ): Promise<ObjectDetail>;
  listKinds(options?: CallOptions): Promise<KindList>;
  countObjects(query: RollupQuery, options?: CallOptions): Promise<RollupList>;
  listChanges(query: ChangeQuery, options?: CallOptions): Promise<ObjectChangeList>;
  listInventories(
    query: { readonly cluster?: string | undefined; readonly clusterSelector?: string | undefined },
    options?: CallOptions,
  ): Promise<ClusterInventoryList>;
  getInventory(cluster: string, options?: CallOptions): Promise<ClusterInventory>;
  /** From now on the name means this cluster; what is known of the one before is forgotten. */
  confirmCluster(cluster: string, request: ConfirmClusterRequest, options?: CallOptions): Promise<ClusterInventory>;
}

export function createInventoryCalls(send: Send): InventoryCalls {
  const get = { method: "GET" };
  return {
    listObjects: (query, call) =>
      send({ ...call, ...get, path: paths.objects + toQueryString(query), answer: objectListSchema }),
    getObject: ({ cluster, uid }, call) =>
      send({ ...call, ...get, path: paths.object(cluster, uid), answer: objectDetailSchema }),
    getNamedObject: (ref, call) => send({ ...call, ...get, path: paths.namedObject(ref), answer: objectDetailSchema }),
    listKinds: (call) => send({ ...call, ...get, path: paths.kinds, answer: kindListSchema }),
    countObjects: (query, call) =>
      send({ ...call, ...get, path: paths.rollups + toQueryString(query), answer: rollupListSchema }),
    listChanges: (query, call) =>
      send({ ...call, ...get, path: paths.changes + toQueryString(query), answer: objectChangeListSchema }),
    listInventories: (query, call) =>
      send({ ...call, ...get, path: paths.inventories + toQueryString(query), answer: clusterInventoryListSchema }),
    getInventory: (cluster, call) =>
      send({ ...call, ...get, path: paths.inventory(cluster), answer: clusterInventorySchema }),
    confirmCluster: (cluster, body, call) =>
      send({
        ...call,
        method: "POST",
        path: paths.confirmInventory(cluster),
        body,
        answer: clusterInventorySchema,
      }),
  };
}
