export { createLimits, type LimitLease, type Limits } from "./service.ts";
