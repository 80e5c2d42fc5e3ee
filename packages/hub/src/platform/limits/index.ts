export type { ApiLimits } from "./api.ts";
export { createLimits, type LimitLease, type LimitSettings, type Limits } from "./service.ts";
