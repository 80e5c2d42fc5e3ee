export { stackLimits } from "../limits.ts";

export const stackActions = ["plan", "apply", "destroy"] as const;
/** The action of a run on all resources of a stack. */
export type StackAction = (typeof stackActions)[number];

const stackRunOutcomes = ["succeeded", "failed", "cancelled"] as const;
/** How a run ends. */
export type StackRunOutcome = (typeof stackRunOutcomes)[number];

export type StackRunStateName = "running" | "cancelling" | StackRunOutcome;
export const stackRunStates: readonly StackRunStateName[] = ["running", "cancelling", ...stackRunOutcomes];

/** `skipped`: it isn't to be done, since one before it didn't succeed or, of a plan, since it is known only later. */
export const stackStepStates = ["waiting", "running", "succeeded", "failed", "skipped", "cancelled"] as const;
export type StackStepState = (typeof stackStepStates)[number];
