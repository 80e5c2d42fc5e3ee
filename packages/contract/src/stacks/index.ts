export {
  type StackAction,
  type StackRunOutcome,
  type StackRunStateName,
  type StackStepState,
  stackLimits,
  stackStepStates,
} from "./names.ts";
export { stackOperations } from "./operations.ts";
export type {
  StackListQuery,
  StackRunListQuery,
} from "./query.ts";
export {
  type CreateStackRunRequest,
  type DeclaredResource,
  type DeclaredResources,
  stackNameSchema,
} from "./requests.ts";
export type {
  Stack,
  StackDetail,
  StackList,
  StackResource,
  StackRun,
  StackRunDetail,
  StackRunList,
  StackStep,
} from "./stack.ts";
