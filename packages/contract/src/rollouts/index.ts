export {
  type RolloutClusterState,
  type RolloutOutcome,
  type RolloutStateName,
  rolloutLimits,
} from "./names.ts";
export { rolloutOperations } from "./operations.ts";
export {
  type RolloutClustersQuery,
  type RolloutListQuery,
  rolloutClustersQuerySchema,
  rolloutListQuerySchema,
} from "./query.ts";
export {
  type CreateRolloutRequest,
  createRolloutRequestSchema,
  type RetryRolloutRequest,
  type RolloutPlan,
  type RolloutWave,
  retryRolloutRequestSchema,
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
