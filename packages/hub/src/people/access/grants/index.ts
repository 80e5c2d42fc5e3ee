export { toBindingId, toBindingName } from "./declared-binding.ts";
export { grantErrors } from "./errors.ts";
export {
  type CheckRemoval,
  type GrantChanges,
  type Grants,
  isWholeAdmin,
  type NewBinding,
  openGrants,
} from "./grants.ts";
