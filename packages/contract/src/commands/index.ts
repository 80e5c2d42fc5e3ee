export { type CommandCalls, createCommandCalls } from "./calls.ts";
export {
  type Command,
  type CommandDetail,
  type CommandList,
  type CommandStep,
  type CommandTrouble,
  commandTroubleSchema,
} from "./command.ts";
export type { HelmSpec } from "./helm.ts";
export type { CommandKey, CommandKeyList } from "./keys.ts";
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
export { commandOperations } from "./operations.ts";
export { commandPaths, logNextHeader } from "./paths.ts";
export {
  type CommandListQuery,
  type CommandLogQuery,
  commandListQuerySchema,
  commandLogQuerySchema,
} from "./query.ts";
export {
  type CreateCommandRequest,
  createCommandRequestSchema,
  type RetryCommandRequest,
  retryCommandRequestSchema,
} from "./requests.ts";
export { type CommandSpecs, type KindAndSpec, placeOf } from "./specs.ts";
