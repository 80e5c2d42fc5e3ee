export { isLasting } from "./lasting.ts";
export { type RequestAttributes, readRequestAttributes } from "./request-attributes.ts";
