/** The kinds of commands to clusters. */
export const commandKindNames = ["manifests", "helm", "tofu", "flow"] as const;
export type CommandKindName = (typeof commandKindNames)[number];

export const commandOutcomes = ["succeeded", "failed", "cancelled", "refused", "rejected", "expired", "lost"] as const;
/** How a command ends: each in exactly one. */
export type CommandOutcome = (typeof commandOutcomes)[number];

const openStates = [
  "queued",
  "claimed",
  "resolving",
  "running",
  "awaiting-plan-approval",
  "awaiting-approval",
  "approved",
  "applying",
] as const;
export type CommandStateName = (typeof openStates)[number] | CommandOutcome;
export const commandStates: readonly CommandStateName[] = [...openStates, ...commandOutcomes];

/** A command is asked for again only when it ended in one of these. */
export const retryableOutcomes: readonly CommandOutcome[] = [
  "failed",
  "cancelled",
  "refused",
  "rejected",
  "expired",
  "lost",
];

export const commandLimits: {
  readonly specBytes: number;
  readonly defaultDeadlineSeconds: number;
  readonly maxDeadlineSeconds: number;
  readonly defaultPriority: number;
  readonly maxPriority: number;
  readonly maxApprovals: number;
  readonly defaultApprovalSeconds: number;
  readonly maxApprovalSeconds: number;
  /** Characters. */
  readonly commentLength: number;
} = {
  specBytes: 3 * 1024 * 1024,
  defaultDeadlineSeconds: 86_400,
  maxDeadlineSeconds: 30 * 86_400,
  defaultPriority: 5,
  maxPriority: 9,
  maxApprovals: 10,
  defaultApprovalSeconds: 86_400,
  maxApprovalSeconds: 30 * 86_400,
  commentLength: 2_000,
};
