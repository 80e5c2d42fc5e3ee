export { findOrNone } from "./find-or-none.ts";
export { type Difference, showDifference, showDifferences } from "./show-difference.ts";
