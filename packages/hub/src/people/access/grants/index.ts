export { adminRole } from "./built-in-roles.ts";
export { grantErrors } from "./errors.ts";
export { type CheckRemoval, type Grants, isWholeAdmin, openGrants } from "./grants.ts";
export { createGrantStore } from "./store.ts";
