import { z } from "zod";
import { defineOperations } from "../operation.ts";
import { clusterNameParameter } from "../parameters.ts";
import {
  applicationDetailSchema,
  applicationHistorySchema,
  applicationListQuerySchema,
  applicationListSchema,
  putApplicationRequestSchema,
  refreshApplicationRequestSchema,
  rollbackApplicationRequestSchema,
  syncApplicationRequestSchema,
} from "./applications.ts";
import {
  argoObjectKindSchema,
  argoObjectListQuerySchema,
  argoObjectListSchema,
  argoObjectSchema,
  putArgoObjectRequestSchema,
} from "./argo-objects.ts";
import { leavingApplicationsSchema } from "./leaving.ts";
import { gitopsSettingsSchema, putGitopsSettingsRequestSchema } from "./settings.ts";
import {
  confirmDeletionsRequestSchema,
  confirmedDeletionsSchema,
  gitopsStatusListQuerySchema,
  gitopsStatusListSchema,
  gitopsStatusSchema,
} from "./status.ts";

export const gitopsOperations = defineOperations({
  getGitopsSettings: {
    method: "GET",
    path: "/api/v1/clusters/{name}/gitops",
    summary: "How the hub and a cluster exchange Argo CD applications",
    params: { name: clusterNameParameter },
    success: { status: 200, description: "The settings", body: gitopsSettingsSchema },
    errors: ["GITOPS_CLUSTER_NOT_FOUND"],
    right: "get clusters",
  },
  putGitopsSettings: {
    method: "PUT",
    path: "/api/v1/clusters/{name}/gitops",
    summary: "Set how the hub and a cluster exchange Argo CD applications",
    params: { name: clusterNameParameter },
    request: putGitopsSettingsRequestSchema,
    success: { status: 200, description: "The settings", body: gitopsSettingsSchema },
    errors: [
      "GITOPS_REQUEST_INVALID",
      "GITOPS_CLUSTER_NOT_FOUND",
      "GITOPS_NAMESPACE_ARGO",
      "GITOPS_NAME_RESERVED",
      "GITOPS_MAPPING_NEEDS_ARGO",
      "GITOPS_SETTINGS_CONFLICT",
    ],
    right: "update clusters/gitops",
  },
  listGitopsStatus: {
    method: "GET",
    path: "/api/v1/gitops",
    summary: "How the exchange of Argo CD applications stands, of all clusters that the caller may see",
    query: gitopsStatusListQuerySchema,
    success: { status: 200, description: "A page of clusters", body: gitopsStatusListSchema },
    errors: ["GITOPS_REQUEST_INVALID"],
  },
  getGitopsStatus: {
    method: "GET",
    path: "/api/v1/clusters/{name}/gitops/status",
    summary: "How the exchange of Argo CD applications with a cluster stands",
    params: { name: clusterNameParameter },
    success: { status: 200, description: "The status", body: gitopsStatusSchema },
    errors: ["GITOPS_CLUSTER_NOT_FOUND"],
  },
  confirmDeletions: {
    method: "POST",
    path: "/api/v1/clusters/{name}/gitops/confirm",
    summary: "Let a mass deletion of a cluster's applications happen that waits for it",
    params: { name: clusterNameParameter },
    request: confirmDeletionsRequestSchema,
    success: { status: 200, description: "They are deleted in the cluster", body: confirmedDeletionsSchema },
    errors: ["GITOPS_REQUEST_INVALID", "GITOPS_CLUSTER_NOT_FOUND", "GITOPS_DELETIONS_NONE", "GITOPS_DELETIONS_CHANGED"],
  },
  countLeavingApplications: {
    method: "GET",
    path: "/api/v1/clusters/{name}/gitops/leaving",
    summary: "How many applications on the hub wait for a cluster when they are deleted",
    params: { name: clusterNameParameter },
    success: { status: 200, description: "Their number", body: leavingApplicationsSchema },
    errors: ["GITOPS_CLUSTER_NOT_FOUND", "GITOPS_OBJECTS_UNAVAILABLE"],
    right: "get clusters/gitops",
  },
  letApplicationsGo: {
    method: "POST",
    path: "/api/v1/clusters/{name}/gitops/leaving",
    summary: "Delete a cluster's applications on the hub alone, once the cluster is removed or while it is revoked",
    params: { name: clusterNameParameter },
    success: { status: 200, description: "How many there are", body: leavingApplicationsSchema },
    errors: ["GITOPS_CLUSTER_NOT_FOUND", "GITOPS_OBJECTS_UNAVAILABLE"],
    right: "update clusters/gitops",
  },
  listApplications: {
    method: "GET",
    path: "/api/v1/applications",
    summary: "Argo CD applications of all clusters that the caller may see",
    query: applicationListQuerySchema,
    success: { status: 200, description: "A page of applications", body: applicationListSchema },
    errors: ["GITOPS_REQUEST_INVALID"],
    right: "list applications, for each cluster that is shown",
  },
  listArgoObjects: {
    method: "GET",
    path: "/api/v1/argo/{kind}",
    summary: "Projects, repositories, GPG keys, known hosts or TLS certificates that managed clusters share",
    params: { kind: argoObjectKindSchema.describe("Kind of the objects") },
    query: argoObjectListQuerySchema,
    success: { status: 200, description: "A page of them, by name", body: argoObjectListSchema },
    errors: ["GITOPS_REQUEST_INVALID", "GITOPS_ARGO_ELSEWHERE"],
  },
});

/** Of one application. */
export const applicationOperations = defineOperations({
  getApplication: {
    method: "GET",
    path: "/api/v1/clusters/{name}/applications/{namespace}/{app}",
    summary: "One Argo CD application",
    params: {
      name: clusterNameParameter,
      namespace: z.string().describe("Namespace of the application"),
      app: z.string().describe("Name of the application"),
    },
    success: { status: 200, description: "The application as it is on the hub", body: applicationDetailSchema },
    errors: ["GITOPS_CLUSTER_NOT_FOUND", "GITOPS_APPLICATION_NOT_FOUND"],
    right: "get applications",
  },
  putApplication: {
    method: "PUT",
    path: "/api/v1/clusters/{name}/applications/{namespace}/{app}",
    summary: "Make an application for a managed cluster, or replace its spec",
    params: {
      name: clusterNameParameter,
      namespace: z.string().describe("Namespace of the application"),
      app: z.string().describe("Name of the application"),
    },
    request: putApplicationRequestSchema,
    success: { status: 200, description: "The application as it is on the hub", body: applicationDetailSchema },
    errors: [
      "GITOPS_REQUEST_INVALID",
      "GITOPS_CLUSTER_NOT_FOUND",
      "GITOPS_CLUSTER_AUTONOMOUS",
      "GITOPS_APPLICATION_CONFLICT",
      "GITOPS_APPLICATION_ELSEWHERE",
      "GITOPS_APPLICATION_REFUSED",
    ],
    right: "create or update applications",
  },
  removeApplication: {
    method: "DELETE",
    path: "/api/v1/clusters/{name}/applications/{namespace}/{app}",
    summary: "Remove an application of a managed cluster; it goes when its finalizers have done their work",
    params: {
      name: clusterNameParameter,
      namespace: z.string().describe("Namespace of the application"),
      app: z.string().describe("Name of the application"),
    },
    success: { status: 204, description: "It is gone, or is being deleted" },
    errors: ["GITOPS_CLUSTER_NOT_FOUND", "GITOPS_CLUSTER_AUTONOMOUS", "GITOPS_APPLICATION_NOT_FOUND"],
    right: "delete applications",
  },
  syncApplication: {
    method: "POST",
    path: "/api/v1/clusters/{name}/applications/{namespace}/{app}/sync",
    summary: "Have a cluster's Argo CD sync an application",
    params: {
      name: clusterNameParameter,
      namespace: z.string().describe("Namespace of the application"),
      app: z.string().describe("Name of the application"),
    },
    request: syncApplicationRequestSchema,
    isRequestOptional: true,
    success: { status: 200, description: "The application as it is on the hub", body: applicationDetailSchema },
    errors: [
      "GITOPS_REQUEST_INVALID",
      "GITOPS_CLUSTER_NOT_FOUND",
      "GITOPS_APPLICATION_NOT_FOUND",
      "GITOPS_OPERATION_RUNNING",
    ],
    right: "sync applications",
  },
  refreshApplication: {
    method: "POST",
    path: "/api/v1/clusters/{name}/applications/{namespace}/{app}/refresh",
    summary: "Have a cluster's Argo CD compare an application with its source",
    params: {
      name: clusterNameParameter,
      namespace: z.string().describe("Namespace of the application"),
      app: z.string().describe("Name of the application"),
    },
    request: refreshApplicationRequestSchema,
    isRequestOptional: true,
    success: { status: 200, description: "The application as it is on the hub", body: applicationDetailSchema },
    errors: ["GITOPS_REQUEST_INVALID", "GITOPS_CLUSTER_NOT_FOUND", "GITOPS_APPLICATION_NOT_FOUND"],
    right: "refresh applications",
  },
  terminateApplication: {
    method: "POST",
    path: "/api/v1/clusters/{name}/applications/{namespace}/{app}/terminate",
    summary: "End the sync of an application that is under way",
    params: {
      name: clusterNameParameter,
      namespace: z.string().describe("Namespace of the application"),
      app: z.string().describe("Name of the application"),
    },
    success: { status: 200, description: "The application as it is on the hub", body: applicationDetailSchema },
    errors: ["GITOPS_CLUSTER_NOT_FOUND", "GITOPS_APPLICATION_NOT_FOUND", "GITOPS_OPERATION_NONE"],
  },
  rollbackApplication: {
    method: "POST",
    path: "/api/v1/clusters/{name}/applications/{namespace}/{app}/rollback",
    summary: "Sync an application to an entry of its history",
    params: {
      name: clusterNameParameter,
      namespace: z.string().describe("Namespace of the application"),
      app: z.string().describe("Name of the application"),
    },
    request: rollbackApplicationRequestSchema,
    success: { status: 200, description: "The application as it is on the hub", body: applicationDetailSchema },
    errors: [
      "GITOPS_REQUEST_INVALID",
      "GITOPS_CLUSTER_NOT_FOUND",
      "GITOPS_APPLICATION_NOT_FOUND",
      "GITOPS_HISTORY_NOT_FOUND",
      "GITOPS_ROLLBACK_AUTOMATED",
      "GITOPS_OPERATION_RUNNING",
    ],
    right: "rollback applications",
  },
  getApplicationHistory: {
    method: "GET",
    path: "/api/v1/clusters/{name}/applications/{namespace}/{app}/history",
    summary: "What of an application was deployed when",
    params: {
      name: clusterNameParameter,
      namespace: z.string().describe("Namespace of the application"),
      app: z.string().describe("Name of the application"),
    },
    success: { status: 200, description: "The history, newest first", body: applicationHistorySchema },
    errors: ["GITOPS_CLUSTER_NOT_FOUND", "GITOPS_APPLICATION_NOT_FOUND"],
    right: "get applications",
  },
});

/** Of one object of Argo CD that managed clusters share. */
export const argoObjectOperations = defineOperations({
  getArgoObject: {
    method: "GET",
    path: "/api/v1/argo/{kind}/{name}",
    summary: "One of them; of a repository, the names of its values and not these",
    params: {
      kind: argoObjectKindSchema.describe("Kind of the objects"),
      name: z.string().describe("Name of the object"),
    },
    success: { status: 200, description: "The object as it is on the hub", body: argoObjectSchema },
    errors: ["GITOPS_REQUEST_INVALID", "GITOPS_ARGO_ELSEWHERE", "GITOPS_ARGO_OBJECT_NOT_FOUND"],
  },
  putArgoObject: {
    method: "PUT",
    path: "/api/v1/argo/{kind}/{name}",
    summary: "Make one on a hub without Argo CD, or replace what it has",
    params: {
      kind: argoObjectKindSchema.describe("Kind of the objects"),
      name: z.string().describe("Name of the object"),
    },
    request: putArgoObjectRequestSchema,
    success: { status: 200, description: "The object as it is on the hub", body: argoObjectSchema },
    errors: ["GITOPS_REQUEST_INVALID", "GITOPS_ARGO_ELSEWHERE"],
  },
  removeArgoObject: {
    method: "DELETE",
    path: "/api/v1/argo/{kind}/{name}",
    summary: "Remove one from a hub without Argo CD, and so from its clusters",
    params: {
      kind: argoObjectKindSchema.describe("Kind of the objects"),
      name: z.string().describe("Name of the object"),
    },
    success: { status: 204, description: "It is gone" },
    errors: ["GITOPS_REQUEST_INVALID", "GITOPS_ARGO_ELSEWHERE", "GITOPS_ARGO_OBJECT_NOT_FOUND"],
  },
});
