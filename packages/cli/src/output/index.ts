export { formatAge, formatSpan, parseSpan, parseTime } from "./duration.ts";
export { createOutput, type Output } from "./output.ts";
