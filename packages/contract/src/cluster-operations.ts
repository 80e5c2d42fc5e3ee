import { z } from "zod";
import { clusterListSchema, clusterSchema } from "./cluster.ts";
import { seeAlarmRequestSchema } from "./cluster-alarm.ts";
import { clusterDetailSchema } from "./cluster-detail.ts";
import {
  createClusterRequestSchema,
  createClusterResponseSchema,
  revokeClusterRequestSchema,
  updateClusterRequestSchema,
} from "./cluster-requests.ts";
import { createJoinTokenRequestSchema, joinSchema } from "./join.ts";
import { defineOperations } from "./operation.ts";
import { clusterNameParameter } from "./parameters.ts";

export const clusterOperations = defineOperations({
  listClusters: {
    method: "GET",
    path: "/api/v1/clusters",
    summary: "All clusters",
    success: { status: 200, description: "All clusters by name", body: clusterListSchema },
    right: "list clusters, for each cluster that is shown",
  },
  createCluster: {
    method: "POST",
    path: "/api/v1/clusters",
    summary: "Register a cluster and make its first join token",
    request: createClusterRequestSchema,
    success: { status: 201, description: "The cluster and its join token", body: createClusterResponseSchema },
    errors: [
      "REQUEST_INVALID",
      "CLUSTER_NAME_INVALID",
      "CLUSTER_NAME_RESERVED",
      "CLUSTER_EXISTS",
      "DECLARED_ONLY",
      "ACCESS_ESCALATION",
      "ACCESS_UNRECORDED",
    ],
    right: "create clusters",
  },
  getCluster: {
    method: "GET",
    path: "/api/v1/clusters/{name}",
    summary: "One cluster with its links, identities and latest events",
    params: { name: clusterNameParameter },
    success: { status: 200, description: "The cluster", body: clusterDetailSchema },
    errors: ["CLUSTER_NOT_FOUND"],
    right: "get clusters",
  },
  updateCluster: {
    method: "PATCH",
    path: "/api/v1/clusters/{name}",
    summary: "Change a cluster's labels, display name and protection",
    params: { name: clusterNameParameter },
    request: updateClusterRequestSchema,
    success: { status: 200, description: "The cluster as it is now", body: clusterSchema },
    errors: [
      "REQUEST_INVALID",
      "CLUSTER_NOT_FOUND",
      "CLUSTER_LABELS_TOO_MANY",
      "CLUSTER_CHANGED",
      "DECLARED_READ_ONLY",
      "ACCESS_ESCALATION",
      "ACCESS_UNRECORDED",
    ],
    right: "update clusters",
  },
  createJoinToken: {
    method: "POST",
    path: "/api/v1/clusters/{name}/tokens",
    summary: "Make a new join token for a cluster",
    params: { name: clusterNameParameter },
    request: createJoinTokenRequestSchema,
    isRequestOptional: true,
    success: { status: 201, description: "The join token, shown this once", body: joinSchema },
    errors: ["REQUEST_INVALID", "CLUSTER_NOT_FOUND"],
    right: "create clusters/tokens",
  },
  revokeCluster: {
    method: "POST",
    path: "/api/v1/clusters/{name}/revoke",
    summary: "Revoke a cluster's identities and cut its links",
    params: { name: clusterNameParameter },
    request: revokeClusterRequestSchema,
    isRequestOptional: true,
    success: { status: 200, description: "The cluster, now revoked", body: clusterSchema },
    errors: ["REQUEST_INVALID", "CLUSTER_NOT_FOUND", "CLUSTER_PROTECTED", "DECLARED_READ_ONLY"],
    right: "revoke clusters",
  },
  seeClusterAlarm: {
    method: "POST",
    path: "/api/v1/clusters/{name}/alarms/{id}/seen",
    summary: "Say that someone has seen an alarm",
    params: { name: clusterNameParameter, id: z.string().describe("Id of the alarm") },
    request: seeAlarmRequestSchema,
    success: { status: 204, description: "It is gone, unless it was raised again since" },
    errors: ["REQUEST_INVALID", "CLUSTER_NOT_FOUND", "CLUSTER_ALARM_NOT_FOUND", "CLUSTER_ALARM_AGAIN"],
    right: "update clusters/alarms",
  },
  removeCluster: {
    method: "DELETE",
    path: "/api/v1/clusters/{name}",
    summary: "Forget a cluster and cut its links",
    params: { name: clusterNameParameter },
    success: { status: 204, description: "Gone" },
    errors: ["CLUSTER_NOT_FOUND", "CLUSTER_PROTECTED", "DECLARED_READ_ONLY"],
    right: "delete clusters",
  },
});
