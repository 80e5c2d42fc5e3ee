export type { Environment } from "./config/index.ts";
export { type ExitCode, exitCodes } from "./exit-codes.ts";
export { runCli } from "./run-cli.ts";
export type { Terminal } from "./terminal.ts";
