export { type Pattern, readPattern } from "./pattern.ts";
export { PatternProblem } from "./types.ts";
