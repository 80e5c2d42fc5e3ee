export { createBudgetShare, createLinkBudget, type LinkBudget } from "./budget.ts";
export { sessionErrors } from "./errors.ts";
export { defaultLinkLimits, type LinkLimits } from "./limits.ts";
export { type PeerStreams, type ResumingSide, Session } from "./session.ts";
export { createSlots, type Slots } from "./slots.ts";
export type { BudgetOf } from "./stream-maker.ts";
export type { Link, LinkState, LinkStats } from "./types.ts";
