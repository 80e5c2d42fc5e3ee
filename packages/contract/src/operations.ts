// Every operation of the API once, as data: the OpenAPI document is made from it.
import { z } from "zod";
import { accessOperations } from "./access/index.ts";
import { auditOperations } from "./audit/index.ts";
import { caOperations } from "./ca.ts";
import { clusterListSchema, clusterSchema } from "./cluster.ts";
import { seeAlarmRequestSchema } from "./cluster-alarm.ts";
import { clusterDetailSchema } from "./cluster-detail.ts";
import {
  createClusterRequestSchema,
  createClusterResponseSchema,
  revokeClusterRequestSchema,
} from "./cluster-requests.ts";
import { commandOperations } from "./commands/index.ts";
import { declarationOperations } from "./declarations.ts";
import { fitnessOperations } from "./fitness/index.ts";
import { gitopsOperations } from "./gitops/index.ts";
import { hubOperations } from "./hubs.ts";
import { inventoryOperations } from "./inventory/index.ts";
import { createJoinTokenRequestSchema, joinSchema } from "./join.ts";
import type { Operation as OldOperation } from "./old-operation.ts";
import type { Operation } from "./operation.ts";
import { parameterNames } from "./operation.ts";
import { profileOperations } from "./profiles/index.ts";
import { rolloutOperations } from "./rollouts/index.ts";
import { scheduleOperations } from "./schedules/index.ts";
import { stackOperations } from "./stacks/index.ts";
import { templateOperations } from "./templates/index.ts";
import { hubVersionSchema } from "./version.ts";
import { whoamiSchema } from "./whoami.ts";

const old: readonly OldOperation[] = [
  {
    id: "version",
    method: "get",
    path: "/api/v1/version",
    summary: "The hub's version",
    needsToken: false,
    success: { status: 200, description: "Version and identity of the hub", body: hubVersionSchema },
  },
  {
    id: "whoami",
    method: "get",
    path: "/api/v1/whoami",
    summary: "Who the token belongs to",
    needsToken: true,
    success: { status: 200, description: "The signed-in user", body: whoamiSchema },
  },
  {
    id: "listClusters",
    method: "get",
    path: "/api/v1/clusters",
    summary: "All clusters",
    needsToken: true,
    success: { status: 200, description: "All clusters by name", body: clusterListSchema },
  },
  {
    id: "createCluster",
    method: "post",
    path: "/api/v1/clusters",
    summary: "Register a cluster and make its first join token",
    needsToken: true,
    request: createClusterRequestSchema,
    success: { status: 201, description: "The cluster and its join token", body: createClusterResponseSchema },
  },
  {
    id: "getCluster",
    method: "get",
    path: "/api/v1/clusters/{name}",
    summary: "One cluster with its links, identities and latest events",
    needsToken: true,
    success: { status: 200, description: "The cluster", body: clusterDetailSchema },
  },
  {
    id: "createJoinToken",
    method: "post",
    path: "/api/v1/clusters/{name}/tokens",
    summary: "Make a new join token for a cluster",
    needsToken: true,
    request: createJoinTokenRequestSchema,
    success: { status: 201, description: "The join token, shown this once", body: joinSchema },
  },
  {
    id: "revokeCluster",
    method: "post",
    path: "/api/v1/clusters/{name}/revoke",
    summary: "Revoke a cluster's identities and cut its links",
    needsToken: true,
    request: revokeClusterRequestSchema,
    success: { status: 200, description: "The cluster, now revoked", body: clusterSchema },
  },
  {
    id: "seeClusterAlarm",
    method: "post",
    path: "/api/v1/clusters/{name}/alarms/{id}/seen",
    summary: "Say that someone has seen an alarm",
    needsToken: true,
    request: seeAlarmRequestSchema,
    success: { status: 204, description: "It is gone, unless it was raised again since" },
  },
  {
    id: "removeCluster",
    method: "delete",
    path: "/api/v1/clusters/{name}",
    summary: "Forget a cluster and cut its links",
    needsToken: true,
    success: { status: 204, description: "Gone" },
  },
  ...caOperations,
  ...fitnessOperations,
  ...gitopsOperations,
  ...hubOperations,
  ...declarationOperations,
  ...accessOperations,
  ...auditOperations,
  ...inventoryOperations,
  ...commandOperations,
  ...rolloutOperations,
  ...scheduleOperations,
  ...stackOperations,
  ...templateOperations,
];

export const operations: readonly Operation[] = [
  ...old.map(({ method, query, ...row }) => ({
    ...row,
    method: method.toUpperCase() as Operation["method"],
    params: Object.fromEntries(parameterNames(row.path).map((name) => [name, z.string().describe("x")])),
    ...(query && {
      queryDescriptions: query,
      query: z.object(Object.fromEntries(Object.keys(query).map((name) => [name, z.string().optional()]))),
    }),
  })),
  ...Object.values(profileOperations),
];
