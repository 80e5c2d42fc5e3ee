export { isLasting } from "./lasting.ts";
export { namesCaller } from "./names-caller.ts";
export { formatResource, type RequestAttributes, readRequestAttributes } from "./request-attributes.ts";
