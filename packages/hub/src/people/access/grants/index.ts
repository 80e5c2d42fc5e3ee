export { grantErrors } from "./errors.ts";
export { type CheckRemoval, type Grants, isWholeAdmin, openGrants } from "./grants.ts";
