export const inventoryPaths: {
  readonly objects: string;
  /** By uid. */
  object(cluster: string, uid: string): string;
  /** By kind and name; for what has no namespace it is undefined. */
  namedObject(ref: { cluster: string; kind: string; namespace?: string | undefined; name: string }): string;
  readonly kinds: string;
  readonly rollups: string;
  readonly changes: string;
  readonly inventories: string;
  inventory(cluster: string): string;
  confirmInventory(cluster: string): string;
  readonly live: string;
} = {
  objects: "/api/v1/objects",
  object: (cluster, uid) => `/api/v1/objects/${encodeURIComponent(cluster)}/${encodeURIComponent(uid)}`,
  namedObject: ({ cluster, kind, namespace = "-", name }) =>
    `/api/v1/clusters/${[cluster, "objects", kind, namespace, name].map(encodeURIComponent).join("/")}`,
  kinds: "/api/v1/kinds",
  rollups: "/api/v1/rollups",
  changes: "/api/v1/changes",
  inventories: "/api/v1/inventories",
  inventory: (cluster) => `/api/v1/clusters/${encodeURIComponent(cluster)}/inventory`,
  confirmInventory: (cluster) => `/api/v1/clusters/${encodeURIComponent(cluster)}/inventory/confirm`,
  live: "/api/v1/live",
};
