import { toQueryString } from "../audit/index.ts";
import type { CallOptions, Send } from "../send.ts";
import {
  type ApplicationDetail,
  type ApplicationHistory,
  type ApplicationList,
  type ApplicationListQuery,
  applicationDetailSchema,
  applicationHistorySchema,
  applicationListSchema,
  type PutApplicationRequest,
  type RefreshApplicationRequest,
  type RollbackApplicationRequest,
  type SyncApplicationRequest,
} from "./applications.ts";
import {
  type ArgoObject,
  type ArgoObjectKind,
  type ArgoObjectList,
  type ArgoObjectListQuery,
  argoObjectListSchema,
  argoObjectSchema,
  type PutArgoObjectRequest,
} from "./argo-objects.ts";
import { type ApplicationName, type ArgoObjectName, gitopsPaths as paths } from "./paths.ts";
import { type GitopsSettings, gitopsSettingsSchema, type PutGitopsSettingsRequest } from "./settings.ts";
import {
  type ConfirmDeletionsRequest,
  type ConfirmedDeletions,
  confirmedDeletionsSchema,
  type GitopsStatus,
  type GitopsStatusList,
  type GitopsStatusListQuery,
  gitopsStatusListSchema,
  gitopsStatusSchema,
} from "./status.ts";

export interface GitopsCalls {
  getGitopsSettings(cluster: string, options?: CallOptions): Promise<GitopsSettings>;
  putGitopsSettings(cluster: string, request: PutGitopsSettingsRequest, options?: CallOptions): Promise<GitopsSettings>;
  listGitopsStatus(query?: GitopsStatusListQuery, options?: CallOptions): Promise<GitopsStatusList>;
  getGitopsStatus(cluster: string, options?: CallOptions): Promise<GitopsStatus>;
  /** Lets the deletions happen that were shown. */
  confirmDeletions(
    cluster: string,
    request: ConfirmDeletionsRequest,
    options?: CallOptions,
  ): Promise<ConfirmedDeletions>;
  listApplications(query?: ApplicationListQuery, options?: CallOptions): Promise<ApplicationList>;
  getApplication(of: ApplicationName, options?: CallOptions): Promise<ApplicationDetail>;
  /** Makes it, or replaces its spec. */
  putApplication(
    of: ApplicationName,
    request: PutApplicationRequest,
    options?: CallOptions,
  ): Promise<ApplicationDetail>;
  removeApplication(of: ApplicationName, options?: CallOptions): Promise<void>;
  syncApplication(
    of: ApplicationName,
    request?: SyncApplicationRequest,
    options?: CallOptions,
  ): Promise<ApplicationDetail>;
  refreshApplication(
    of: ApplicationName,
    request?: RefreshApplicationRequest,
    options?: CallOptions,
  ): Promise<ApplicationDetail>;
  terminateApplication(of: ApplicationName, options?: CallOptions): Promise<ApplicationDetail>;
  rollbackApplication(
    of: ApplicationName,
    request: RollbackApplicationRequest,
    options?: CallOptions,
  ): Promise<ApplicationDetail>;
  getApplicationHistory(of: ApplicationName, options?: CallOptions): Promise<ApplicationHistory>;
  listArgoObjects(kind: ArgoObjectKind, query?: ArgoObjectListQuery, options?: CallOptions): Promise<ArgoObjectList>;
  getArgoObject(of: ArgoObjectName, options?: CallOptions): Promise<ArgoObject>;
  /** Makes it, or replaces what it has. */
  putArgoObject(of: ArgoObjectName, request: PutArgoObjectRequest, options?: CallOptions): Promise<ArgoObject>;
  removeArgoObject(of: ArgoObjectName, options?: CallOptions): Promise<void>;
}

export function createGitopsCalls(send: Send): GitopsCalls {
  return {
    getGitopsSettings: (cluster, call) =>
      send({ ...call, method: "GET", path: paths.settings(cluster), answer: gitopsSettingsSchema }),
    putGitopsSettings: (cluster, body, call) =>
      send({ ...call, method: "PUT", path: paths.settings(cluster), body, answer: gitopsSettingsSchema }),
    listGitopsStatus: (query = {}, call) =>
      send({ ...call, method: "GET", path: paths.statuses + toQueryString(query), answer: gitopsStatusListSchema }),
    getGitopsStatus: (cluster, call) =>
      send({ ...call, method: "GET", path: paths.status(cluster), answer: gitopsStatusSchema }),
    confirmDeletions: (cluster, body, call) =>
      send({ ...call, method: "POST", path: paths.confirmDeletions(cluster), body, answer: confirmedDeletionsSchema }),
    listApplications: (query = {}, call) =>
      send({
        ...call,
        method: "GET",
        path: paths.applications + toQueryString(query),
        answer: applicationListSchema,
      }),
    getApplication: (of, call) => ask("GET", paths.application(of), undefined, call),
    putApplication: (of, body, call) => ask("PUT", paths.application(of), body, call),
    removeApplication: (of, call) => send({ ...call, method: "DELETE", path: paths.application(of) }),
    syncApplication: (of, body = {}, call) => ask("POST", paths.syncApplication(of), body, call),
    refreshApplication: (of, body = {}, call) => ask("POST", paths.refreshApplication(of), body, call),
    terminateApplication: (of, call) => ask("POST", paths.terminateApplication(of), {}, call),
    rollbackApplication: (of, body, call) => ask("POST", paths.rollbackApplication(of), body, call),
    getApplicationHistory: (of, call) =>
      send({ ...call, method: "GET", path: paths.applicationHistory(of), answer: applicationHistorySchema }),
    listArgoObjects: (kind, query = {}, call) =>
      send({
        ...call,
        method: "GET",
        path: paths.argoObjects(kind) + toQueryString(query),
        answer: argoObjectListSchema,
      }),
    getArgoObject: (of, call) => send({ ...call, method: "GET", path: paths.argoObject(of), answer: argoObjectSchema }),
    putArgoObject: (of, body, call) =>
      send({ ...call, method: "PUT", path: paths.argoObject(of), body, answer: argoObjectSchema }),
    removeArgoObject: (of, call) => send({ ...call, method: "DELETE", path: paths.argoObject(of) }),
  };

  function ask(method: string, path: string, body: unknown, call?: CallOptions): Promise<ApplicationDetail> {
    const content = body === undefined ? {} : { body };
    return send({ ...call, ...content, method, path, answer: applicationDetailSchema });
  }
}
