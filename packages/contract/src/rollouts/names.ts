const rolloutOutcomes = ["succeeded", "failed", "stopped", "cancelled"] as const;
/** How a rollout ends. */
export type RolloutOutcome = (typeof rolloutOutcomes)[number];

export type RolloutStateName = "running" | "paused" | "stopping" | RolloutOutcome;
export const rolloutStates: readonly RolloutStateName[] = ["running", "paused", "stopping", ...rolloutOutcomes];

/** `skipped`: it was left out, or the rollout ended before its turn. */
export const rolloutClusterStates = ["waiting", "running", "succeeded", "failed", "skipped"] as const;
export type RolloutClusterState = (typeof rolloutClusterStates)[number];

export const rolloutLimits: {
  readonly clusters: number;
  /** The most clusters in a list of names; by labels there may be more. */
  readonly namedClusters: number;
  readonly waves: number;
  readonly maxPauseSeconds: number;
} = { clusters: 10_000, namedClusters: 1_000, waves: 50, maxPauseSeconds: 7 * 86_400 };
