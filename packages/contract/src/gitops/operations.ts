import type { Operation } from "../operation.ts";
import {
  applicationDetailSchema,
  applicationHistorySchema,
  applicationListSchema,
  putApplicationRequestSchema,
  refreshApplicationRequestSchema,
  rollbackApplicationRequestSchema,
  syncApplicationRequestSchema,
} from "./applications.ts";
import { argoObjectListSchema, argoObjectSchema, putArgoObjectRequestSchema } from "./argo-objects.ts";
import { gitopsSettingsSchema, putGitopsSettingsRequestSchema } from "./settings.ts";
import {
  confirmDeletionsRequestSchema,
  confirmedDeletionsSchema,
  gitopsStatusListSchema,
  gitopsStatusSchema,
} from "./status.ts";

const path = "/api/v1/clusters/{name}/gitops";
const application = "/api/v1/clusters/{name}/applications/{namespace}/{app}";
const argoObject = "/api/v1/argo/{kind}/{name}";
const argoObjectAsItIs = {
  status: 200,
  description: "The object as it is on the hub",
  body: argoObjectSchema,
} as const;
const asItIs = {
  status: 200,
  description: "The application as it is on the hub",
  body: applicationDetailSchema,
} as const;
const success = { status: 200, description: "The settings", body: gitopsSettingsSchema } as const;

export const gitopsOperations: readonly Operation[] = [
  {
    id: "getGitopsSettings",
    method: "get",
    path,
    summary: "How the hub and a cluster exchange Argo CD applications",
    needsToken: true,
    success,
  },
  {
    id: "putGitopsSettings",
    method: "put",
    path,
    summary: "Set how the hub and a cluster exchange Argo CD applications",
    needsToken: true,
    request: putGitopsSettingsRequestSchema,
    success,
  },
  {
    ...{ id: "listGitopsStatus", method: "get", path: "/api/v1/gitops", needsToken: true },
    summary: "How the exchange of Argo CD applications stands, of all clusters that the caller may see",
    query: {
      limit: "Items on a page, at most 100; 50 unless told",
      cursor: "The `next` of the page before",
    },
    success: { status: 200, description: "A page of clusters", body: gitopsStatusListSchema },
  },
  {
    ...{ id: "getGitopsStatus", method: "get", path: `${path}/status`, needsToken: true },
    summary: "How the exchange of Argo CD applications with a cluster stands",
    success: { status: 200, description: "The status", body: gitopsStatusSchema },
  },
  {
    ...{ id: "confirmDeletions", method: "post", path: `${path}/confirm`, needsToken: true },
    summary: "Let a mass deletion of a cluster's applications happen that waits for it",
    request: confirmDeletionsRequestSchema,
    success: { status: 200, description: "They are deleted in the cluster", body: confirmedDeletionsSchema },
  },
  {
    id: "listApplications",
    method: "get",
    path: "/api/v1/applications",
    summary: "Argo CD applications of all clusters that the caller may see",
    needsToken: true,
    query: {
      cluster: "Only of this cluster",
      project: "Only of this project",
      sync: "Only with this sync status, as Argo CD says it",
      health: "Only with this health, as Argo CD says it",
      labelSelector: "Only with these labels, as kubectl selects",
      limit: "Items on a page, at most 500; 100 unless told",
      cursor: "The `next` of the page before",
    },
    success: { status: 200, description: "A page of applications", body: applicationListSchema },
  },
  {
    ...{ id: "getApplication", method: "get", path: application, needsToken: true, success: asItIs },
    summary: "One Argo CD application",
  },
  {
    ...{ id: "putApplication", method: "put", path: application, needsToken: true, success: asItIs },
    summary: "Make an application for a managed cluster, or replace its spec",
    request: putApplicationRequestSchema,
  },
  {
    ...{ id: "removeApplication", method: "delete", path: application, needsToken: true },
    summary: "Remove an application of a managed cluster; it goes when its finalizers have done their work",
    success: { status: 204, description: "It is gone, or is being deleted" },
  },
  {
    ...{ id: "syncApplication", method: "post", path: `${application}/sync`, needsToken: true, success: asItIs },
    summary: "Have a cluster's Argo CD sync an application",
    request: syncApplicationRequestSchema,
  },
  {
    ...{ id: "refreshApplication", method: "post", path: `${application}/refresh`, needsToken: true, success: asItIs },
    summary: "Have a cluster's Argo CD compare an application with its source",
    request: refreshApplicationRequestSchema,
  },
  {
    ...{ id: "terminateApplication", method: "post", path: `${application}/terminate`, needsToken: true },
    summary: "End the sync of an application that is under way",
    success: asItIs,
  },
  {
    ...{
      id: "rollbackApplication",
      method: "post",
      path: `${application}/rollback`,
      needsToken: true,
      success: asItIs,
    },
    summary: "Sync an application to an entry of its history",
    request: rollbackApplicationRequestSchema,
  },
  {
    ...{ id: "getApplicationHistory", method: "get", path: `${application}/history`, needsToken: true },
    summary: "What of an application was deployed when",
    success: { status: 200, description: "The history, newest first", body: applicationHistorySchema },
  },
  {
    ...{ id: "listArgoObjects", method: "get", path: "/api/v1/argo/{kind}", needsToken: true },
    summary: "Projects, repositories, GPG keys, known hosts or TLS certificates that managed clusters share",
    query: { limit: "Items on a page, at most 500; 100 unless told", cursor: "The `next` of the page before" },
    success: { status: 200, description: "A page of them, by name", body: argoObjectListSchema },
  },
  {
    ...{ id: "getArgoObject", method: "get", path: argoObject, needsToken: true, success: argoObjectAsItIs },
    summary: "One of them; of a repository, the names of its values and not these",
  },
  {
    ...{ id: "putArgoObject", method: "put", path: argoObject, needsToken: true, success: argoObjectAsItIs },
    summary: "Make one on a hub without Argo CD, or replace what it has",
    request: putArgoObjectRequestSchema,
  },
  {
    ...{ id: "removeArgoObject", method: "delete", path: argoObject, needsToken: true },
    summary: "Remove one from a hub without Argo CD, and so from its clusters",
    success: { status: 204, description: "It is gone" },
  },
];
