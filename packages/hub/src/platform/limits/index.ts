export type { ApiLimits } from "./api.ts";
export { Bucket } from "./bucket.ts";
export { createLimits, type LimitLease, type LimitRequest, type LimitSettings, type Limits } from "./service.ts";
