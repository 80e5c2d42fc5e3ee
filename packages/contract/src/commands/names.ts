/** What a cluster may be asked to do. */
export const commandKindNames = ["manifests", "helm"] as const;
export type CommandKindName = (typeof commandKindNames)[number];

export const commandOutcomes = ["succeeded", "failed", "cancelled", "refused", "expired", "lost"] as const;
/** How a command ends: each in exactly one. */
export type CommandOutcome = (typeof commandOutcomes)[number];

export type CommandStateName = "queued" | "claimed" | "resolving" | "running" | CommandOutcome;
export const commandStates: readonly CommandStateName[] = [
  ...(["queued", "claimed", "resolving", "running"] as const),
  ...commandOutcomes,
];

/** A command is asked for again only when it ended in one of these. */
export const retryableOutcomes: readonly CommandOutcome[] = ["failed", "cancelled", "refused", "expired", "lost"];

export const commandLimits: {
  readonly specBytes: number;
  readonly defaultDeadlineSeconds: number;
  readonly maxDeadlineSeconds: number;
  readonly defaultPriority: number;
  readonly maxPriority: number;
} = {
  specBytes: 3 * 1024 * 1024,
  defaultDeadlineSeconds: 86_400,
  maxDeadlineSeconds: 30 * 86_400,
  defaultPriority: 5,
  maxPriority: 9,
};
