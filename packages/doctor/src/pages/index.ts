export { type CheckOwner, checkOwners } from "./check-owners.ts";
export { formatCheckPages } from "./check-pages.ts";
