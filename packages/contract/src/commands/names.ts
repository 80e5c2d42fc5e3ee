export { commandLimits } from "../limits.ts";

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
