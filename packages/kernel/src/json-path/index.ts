export { evaluateTemplate, findValues } from "./evaluate.ts";
export { type Effort, findFirst, membersOf } from "./find.ts";
export { printScalar, writeGoScalar } from "./go-text.ts";
export { parsePath, parseTemplate, type Template } from "./parse.ts";
export { JsonPathProblem } from "./problem.ts";
export type { Query } from "./types.ts";
