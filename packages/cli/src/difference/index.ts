export { findOrNone } from "./find-or-none.ts";
export { type Difference, showDifference } from "./show-difference.ts";
