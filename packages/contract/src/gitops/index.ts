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
export { type ApplicationName, type ArgoObjectName, createGitopsCalls, type GitopsCalls } from "./calls.ts";
export { applicationOperations, argoObjectOperations, gitopsOperations } from "./operations.ts";
export {
  type GitopsMapping,
  type GitopsMode,
  type GitopsRules,
  type GitopsSettings,
  type PutGitopsSettingsRequest,
  putGitopsSettingsRequestSchema,
  usualGitopsRules,
} from "./settings.ts";
export {
  type ConfirmDeletionsRequest,
  type ConfirmedDeletions,
  confirmDeletionsRequestSchema,
  type GitopsFlowStatus,
  type GitopsGuard,
  type GitopsRefusedObject,
  type GitopsStatus,
  type GitopsStatusList,
  type GitopsStatusListQuery,
  gitopsStatusListQuerySchema,
  type HeldDeletion,
} from "./status.ts";
