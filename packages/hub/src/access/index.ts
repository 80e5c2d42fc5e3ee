export { openAccess } from "./service.ts";
export type { Access, Principal } from "./types.ts";
