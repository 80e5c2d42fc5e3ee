export { checkOwners } from "./check-owners.ts";
export { type CheckOwner, formatCheckPages } from "./check-pages.ts";
