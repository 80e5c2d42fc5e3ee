export { Lane, type LaneLimits } from "./lane.ts";
export type { RetentionBudget } from "./retention-budget.ts";
export { Ticker } from "./ticker.ts";
