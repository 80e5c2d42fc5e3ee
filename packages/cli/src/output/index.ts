export { formatAge, formatSpan, parseSpan, parseTime } from "./duration.ts";
export { guardLine } from "./guard.ts";
export { createOutput, type Output } from "./output.ts";
