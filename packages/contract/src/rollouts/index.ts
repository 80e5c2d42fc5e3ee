export {
  type RolloutClusterState,
  type RolloutOutcome,
  type RolloutStateName,
  rolloutLimits,
} from "./names.ts";
export { rolloutOperations } from "./operations.ts";
export type {
  RolloutClustersQuery,
  RolloutListQuery,
} from "./query.ts";
export {
  type CreateRolloutRequest,
  createRolloutRequestSchema,
  type RetryRolloutRequest,
  type RolloutPlan,
  type RolloutWave,
} from "./requests.ts";
export type {
  Rollout,
  RolloutCluster,
  RolloutClusterList,
  RolloutList,
  RolloutPause,
  RolloutPreview,
  UnusableCluster,
} from "./rollout.ts";
