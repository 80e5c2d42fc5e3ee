export { openLeases } from "./leases.ts";
export type { HeldLease, HoldOptions, Leases, LeaseTimes } from "./types.ts";
