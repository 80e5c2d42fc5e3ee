export { createLimits, type Limits } from "./service.ts";
