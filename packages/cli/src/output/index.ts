export { formatAge, formatSpan, parseSpan, parseTime } from "./duration.ts";
export { guardLine } from "./guard.ts";
export { type AnswerFormat, createOutput, type DocumentRenderer, type Output, type TableMaker } from "./output.ts";
