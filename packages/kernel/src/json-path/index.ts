export { type Effort, evaluateTemplate, findAlong, findValues, membersOf } from "./evaluate.ts";
export { JsonPathProblem, parsePath, parseTemplate, type Template } from "./parse.ts";
export type { Query } from "./types.ts";
