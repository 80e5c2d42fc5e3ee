export type {
  ApplicationDetail,
  ApplicationHistory,
  ApplicationHistoryEntry,
  ApplicationList,
  ApplicationListQuery,
  ApplicationSummary,
  PutApplicationRequest,
  RefreshApplicationRequest,
  RollbackApplicationRequest,
  SyncApplicationRequest,
} from "./applications.ts";
export {
  type ArgoObject,
  type ArgoObjectKind,
  type ArgoObjectList,
  type ArgoObjectListQuery,
  type ArgoObjectSummary,
  argoObjectKinds,
  type PutArgoObjectRequest,
} from "./argo-objects.ts";
export type { LeavingApplications } from "./leaving.ts";
export { applicationOperations, argoObjectOperations, gitopsOperations } from "./operations.ts";
export {
  type GitopsMapping,
  type GitopsMode,
  type GitopsRules,
  type GitopsSettings,
  type PutGitopsSettingsRequest,
  usualGitopsRules,
} from "./settings.ts";
export type {
  ConfirmDeletionsRequest,
  ConfirmedDeletions,
  GitopsFlowStatus,
  GitopsGuard,
  GitopsRefusedObject,
  GitopsStatus,
  GitopsStatusList,
  GitopsStatusListQuery,
  HeldDeletion,
} from "./status.ts";
