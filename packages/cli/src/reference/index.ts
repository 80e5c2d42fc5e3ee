export { formatReference } from "./format-reference.ts";
export { formatSummaries } from "./format-summaries.ts";
