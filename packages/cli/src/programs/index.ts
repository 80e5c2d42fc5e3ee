export { programsErrors } from "./errors.ts";
export { lastLine, type ProgramResult, type RunOptions, runProgram } from "./run-program.ts";
