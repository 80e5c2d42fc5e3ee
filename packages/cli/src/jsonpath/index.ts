export { evaluateTemplate, findValues } from "./evaluate.ts";
export { parsePath, parseTemplate, type Template } from "./parse.ts";
export type { Query } from "./types.ts";
