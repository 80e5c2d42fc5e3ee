export { evaluateTemplate } from "./evaluate.ts";
export { parseTemplate, type Template } from "./parse.ts";
