import type { Operation } from "../old-operation.ts";
import { objectDetailSchema, objectListSchema } from "./object.ts";
import {
  clusterInventoryListSchema,
  clusterInventorySchema,
  confirmClusterRequestSchema,
  kindListSchema,
  objectChangeListSchema,
  rollupListSchema,
} from "./overview.ts";

const clusters = {
  cluster: "Only these clusters, separated by commas",
  clusterSelector: "Only clusters with such labels, in Kubernetes' syntax",
};
const filters = {
  kind: "Kinds, separated by commas: plural, singular, short name, kind or resource.group",
  ...clusters,
  namespace: "Only these namespaces, separated by commas; of kinds that have none, all",
  name: "Only objects of this name",
  labelSelector: "Only objects with such labels, in Kubernetes' syntax",
  fieldSelector: "Only objects with such fields: path=value, path!=value, separated by commas",
  search: "Only objects with this text in name, namespace, labels or images",
  owner: "Only what this uid owns",
  health: "Only objects of such health, separated by commas",
};
const page = { limit: "Items on a page, at most 500; 100 unless told", cursor: "The `next` of the page before" };
const common = { method: "get", needsToken: true } as const;

export const inventoryOperations: readonly Operation[] = [
  {
    ...common,
    id: "listObjects",
    path: "/api/v1/objects",
    summary: "Objects over all clusters, each answer with the age of every cluster's data",
    query: {
      ...filters,
      sort: "name, namespace, cluster, kind, age, changed or health; with a - before it descending",
      ...page,
      limit: `${page.limit}; fewer, with \`next\`, where more than 8 MiB would have to be read or sent`,
      include: "`object`: with the whole objects",
    },
    success: { status: 200, description: "A page of objects", body: objectListSchema },
  },
  {
    ...common,
    id: "getObject",
    path: "/api/v1/objects/{cluster}/{uid}",
    summary: "One object with its owners, children and events",
    success: { status: 200, description: "The object", body: objectDetailSchema },
  },
  {
    ...common,
    id: "getNamedObject",
    path: "/api/v1/clusters/{name}/objects/{kind}/{namespace}/{object}",
    summary: "The same by kind and name; the namespace is - where there is none",
    success: { status: 200, description: "The object", body: objectDetailSchema },
  },
  {
    ...common,
    id: "listKinds",
    path: "/api/v1/kinds",
    summary: "Kinds that the clusters have",
    success: { status: 200, description: "Kinds by name", body: kindListSchema },
  },
  {
    ...common,
    id: "countObjects",
    path: "/api/v1/rollups",
    summary: "How many objects there are, and how many of each health",
    query: { ...filters, by: "What to count by: kind, cluster, namespace, separated by commas" },
    success: { status: 200, description: "Counts", body: rollupListSchema },
  },
  {
    ...common,
    id: "listChanges",
    path: "/api/v1/changes",
    summary: "What changed, newest first: the newest change of each object; Events only when their kind is named",
    query: {
      ...filters,
      since: "From this time on (RFC 3339); an hour ago unless told",
      until: "Before this time (RFC 3339)",
      status: "`true`: changes of the status alone as well",
      ...page,
    },
    success: { status: 200, description: "A page of changes", body: objectChangeListSchema },
  },
  {
    ...common,
    id: "listInventories",
    path: "/api/v1/inventories",
    summary: "Capacity, health and age of all clusters",
    query: clusters,
    success: { status: 200, description: "Clusters by name", body: clusterInventoryListSchema },
  },
  {
    ...common,
    id: "getInventory",
    path: "/api/v1/clusters/{name}/inventory",
    summary: "What the hub has of one cluster, how old it is, and what is missing",
    success: { status: 200, description: "The cluster's inventory", body: clusterInventorySchema },
  },
  {
    ...common,
    id: "confirmCluster",
    method: "post",
    path: "/api/v1/clusters/{name}/inventory/confirm",
    summary: "Confirm that another cluster than before is now meant by this name",
    request: confirmClusterRequestSchema,
    success: { status: 200, description: "The cluster's inventory, now empty", body: clusterInventorySchema },
  },
];
