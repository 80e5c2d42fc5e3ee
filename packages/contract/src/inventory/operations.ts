import { z } from "zod";
import { defineOperations } from "../operation.ts";
import { clusterNameParameter } from "../parameters.ts";
import { objectDetailSchema, objectListSchema } from "./object.ts";
import {
  clusterInventoryListSchema,
  clusterInventorySchema,
  confirmClusterRequestSchema,
  kindListSchema,
  objectChangeListSchema,
  rollupListSchema,
} from "./overview.ts";
import { changeQuerySchema, objectQuerySchema, rollupQuerySchema } from "./query.ts";

const clustersQuerySchema = z.strictObject({
  cluster: z
    .string()
    .max(65_536)
    .optional()
    .describe("Only these clusters, separated by commas (default: all that the caller may see)"),
  clusterSelector: z
    .string()
    .max(2_048)
    .optional()
    .describe("Only clusters with matching labels, in the syntax of Kubernetes label selectors"),
});

export const inventoryOperations = defineOperations({
  listObjects: {
    method: "GET",
    path: "/api/v1/objects",
    summary: "Objects over all clusters, each answer with the age of every cluster's data",
    query: objectQuerySchema,
    success: { status: 200, description: "A page of objects", body: objectListSchema },
    errors: [
      "OBJECTS_QUERY_INVALID",
      "OBJECTS_SELECTOR_INVALID",
      "OBJECTS_CLUSTER_UNKNOWN",
      "OBJECTS_NO_CLUSTER_VISIBLE",
      "OBJECTS_KIND_UNKNOWN",
      "OBJECTS_KIND_NOT_OBSERVED",
      "OBJECTS_FORBIDDEN",
      "OBJECTS_CURSOR_INVALID",
      "OBJECTS_TOO_BUSY",
    ],
  },
  getObject: {
    method: "GET",
    path: "/api/v1/objects/{cluster}/{uid}",
    summary: "One object with its owners, children and events",
    params: { cluster: clusterNameParameter, uid: z.string().describe("UID of the object") },
    success: { status: 200, description: "The object", body: objectDetailSchema },
    errors: ["OBJECTS_NOT_FOUND", "OBJECTS_FORBIDDEN"],
  },
  getNamedObject: {
    method: "GET",
    path: "/api/v1/clusters/{name}/objects/{kind}/{namespace}/{object}",
    summary: "The same by kind and name; the namespace is - where there is none",
    params: {
      name: clusterNameParameter,
      kind: z.string().describe("Kind: plural, singular, short name, kind or resource.group"),
      namespace: z.string().describe("Namespace of the object; `-` for a kind without namespaces"),
      object: z.string().describe("Name of the object"),
    },
    success: { status: 200, description: "The object", body: objectDetailSchema },
    errors: ["OBJECTS_NOT_FOUND", "OBJECTS_FORBIDDEN", "OBJECTS_KIND_UNKNOWN", "OBJECTS_KIND_NOT_OBSERVED"],
  },
  listKinds: {
    method: "GET",
    path: "/api/v1/kinds",
    summary: "Kinds that the clusters have",
    success: { status: 200, description: "Kinds by name", body: kindListSchema },
  },
  countObjects: {
    method: "GET",
    path: "/api/v1/rollups",
    summary: "How many objects there are, and how many of each health",
    query: rollupQuerySchema,
    success: { status: 200, description: "Counts", body: rollupListSchema },
    errors: [
      "OBJECTS_QUERY_INVALID",
      "OBJECTS_SELECTOR_INVALID",
      "OBJECTS_CLUSTER_UNKNOWN",
      "OBJECTS_NO_CLUSTER_VISIBLE",
      "OBJECTS_KIND_UNKNOWN",
      "OBJECTS_KIND_NOT_OBSERVED",
      "OBJECTS_FORBIDDEN",
      "OBJECTS_TOO_BUSY",
    ],
  },
  listChanges: {
    method: "GET",
    path: "/api/v1/changes",
    summary: "What changed, newest first: the newest change of each object; Events only when their kind is named",
    query: changeQuerySchema,
    success: { status: 200, description: "A page of changes", body: objectChangeListSchema },
    errors: [
      "OBJECTS_QUERY_INVALID",
      "OBJECTS_SELECTOR_INVALID",
      "OBJECTS_CLUSTER_UNKNOWN",
      "OBJECTS_NO_CLUSTER_VISIBLE",
      "OBJECTS_KIND_UNKNOWN",
      "OBJECTS_KIND_NOT_OBSERVED",
      "OBJECTS_FORBIDDEN",
      "OBJECTS_CURSOR_INVALID",
      "OBJECTS_TOO_BUSY",
    ],
  },
  listInventories: {
    method: "GET",
    path: "/api/v1/inventories",
    summary: "Capacity, health and age of all clusters",
    query: clustersQuerySchema,
    success: { status: 200, description: "Clusters by name", body: clusterInventoryListSchema },
    errors: ["OBJECTS_QUERY_INVALID", "OBJECTS_SELECTOR_INVALID", "OBJECTS_CLUSTER_UNKNOWN"],
  },
  getInventory: {
    method: "GET",
    path: "/api/v1/clusters/{name}/inventory",
    summary: "What the hub has of one cluster, how old it is, and what is missing",
    params: { name: clusterNameParameter },
    success: { status: 200, description: "The cluster's inventory", body: clusterInventorySchema },
    errors: ["CLUSTER_NOT_FOUND"],
    right: "get clusters",
  },
  confirmCluster: {
    method: "POST",
    path: "/api/v1/clusters/{name}/inventory/confirm",
    summary: "Confirm that another cluster than before is now meant by this name",
    params: { name: clusterNameParameter },
    request: confirmClusterRequestSchema,
    success: { status: 200, description: "The cluster's inventory, now empty", body: clusterInventorySchema },
    errors: ["OBJECTS_QUERY_INVALID", "CLUSTER_NOT_FOUND", "INVENTORY_REPLACEMENT_UNKNOWN"],
    right: "confirm clusters",
  },
});
