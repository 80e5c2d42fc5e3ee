export {
  type ApprovalWish,
  type ApproveCommandRequest,
  type ApprovePlanningRequest,
  approvalWishSchema,
  type CommandApproval,
  commandApprovalSchema,
  type GivenApproval,
  type RejectCommandRequest,
} from "./approval.ts";
export {
  type Command,
  type CommandDetail,
  type CommandList,
  type CommandStep,
  type CommandTrouble,
  type CommandWaiting,
  commandTroubleSchema,
} from "./command.ts";
export { type FlowSpec, type FlowStep, stepKindsOf } from "./flow.ts";
export type { HelmSpec } from "./helm.ts";
export type { CommandKey, CommandKeyList } from "./keys.ts";
export {
  type RunLiveMessage,
  type RunSubscribeRequest,
  runLiveMessageSchema,
  runSubscribeRequestSchema,
} from "./live.ts";
export type { ManifestsSpec } from "./manifests.ts";
export {
  type CommandKindName,
  type CommandOutcome,
  type CommandStateName,
  commandKindNames,
  commandLimits,
  commandOutcomes,
  retryableOutcomes,
} from "./names.ts";
export { commandOperations, logNextHeader } from "./operations.ts";
export type {
  CommandListQuery,
  CommandLogQuery,
  RunFilter,
} from "./query.ts";
export {
  type CreateCommandFields,
  type CreateCommandRequest,
  createCommandRequestSchema,
  hasSomethingToApprove,
  nothingToApprove,
  type RetryCommandRequest,
  serviceAccountSchema,
} from "./requests.ts";
export { type CommandSpecs, commandSpecs, type KindAndSpec, placeOf } from "./specs.ts";
export { type TemplateOrigin, type TemplateUse, templateOriginSchema } from "./template-use.ts";
export type { TofuSpec } from "./tofu.ts";
