// What a run's plan would change.
export { concludeDryRun } from "./conclude-dry-run.ts";
export { describePlan } from "./describe-plan.ts";
export { wouldChange } from "./would-change.ts";
