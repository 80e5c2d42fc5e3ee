export type { ApiLimits } from "./api.ts";
export { createLimits, type LimitLease, type Limits } from "./service.ts";
