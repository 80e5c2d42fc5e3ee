export { formatReference } from "./format-reference.ts";
