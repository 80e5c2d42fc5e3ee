export { toBindingId, toBindingName } from "./declared-binding.ts";
export { grantErrors } from "./errors.ts";
export { type CheckRemoval, type GrantChanges, type Grants, isWholeAdmin, openGrants } from "./grants.ts";
