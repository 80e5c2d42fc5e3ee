export {
  type ApplicationDetail,
  type ApplicationHistory,
  type ApplicationHistoryEntry,
  type ApplicationList,
  type ApplicationListQuery,
  type ApplicationSummary,
  applicationListQuerySchema,
  type PutApplicationRequest,
  putApplicationRequestSchema,
  type RefreshApplicationRequest,
  type RollbackApplicationRequest,
  refreshApplicationRequestSchema,
  rollbackApplicationRequestSchema,
  type SyncApplicationRequest,
  syncApplicationRequestSchema,
} from "./applications.ts";
export {
  type ArgoObject,
  type ArgoObjectKind,
  type ArgoObjectList,
  type ArgoObjectListQuery,
  type ArgoObjectSummary,
  argoObjectKindSchema,
  argoObjectKinds,
  argoObjectListQuerySchema,
  type PutArgoObjectRequest,
  putArgoObjectRequestSchema,
} from "./argo-objects.ts";
export { createGitopsCalls, type GitopsCalls } from "./calls.ts";
export { gitopsOperations } from "./operations.ts";
export { type ApplicationName, type ArgoObjectName, gitopsPaths } from "./paths.ts";
export {
  type GitopsMapping,
  type GitopsMode,
  type GitopsSettings,
  type PutGitopsSettingsRequest,
  putGitopsSettingsRequestSchema,
} from "./settings.ts";
