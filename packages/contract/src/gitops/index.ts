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
export { createGitopsCalls, type GitopsCalls } from "./calls.ts";
export { gitopsOperations } from "./operations.ts";
export { type ApplicationName, gitopsPaths } from "./paths.ts";
export {
  type GitopsMapping,
  type GitopsMode,
  type GitopsSettings,
  type PutGitopsSettingsRequest,
  putGitopsSettingsRequestSchema,
} from "./settings.ts";
