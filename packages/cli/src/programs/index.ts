export { lastLine, type ProgramResult, type RunOptions, runProgram } from "./run-program.ts";
