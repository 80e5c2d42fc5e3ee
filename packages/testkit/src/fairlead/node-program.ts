import { join } from "node:path";
import { type ExitInfo, type RunningProcess, type StartProcessOptions, startProcess } from "../processes/index.ts";
import { repoRoot } from "../repo-root.ts";

export type Program = "hub" | "agent" | "cli";

/** The arguments that make this Node run one of our programs from its sources. */
export function programArgs(program: Program): string[] {
  return ["--conditions=@fairlead/source", join(repoRoot, "packages", program, "src", "main.ts")];
}

/** Starts one of our programs on a leash, from its sources. */
export function startProgram(
  program: Program,
  options: Omit<StartProcessOptions, "command" | "name"> & { name?: string },
): Promise<RunningProcess> {
  return startProcess({
    ...options,
    name: options.name ?? program,
    command: process.execPath,
    args: [...programArgs(program), ...(options.args ?? [])],
  });
}

/** A program that can be ended in any way and started again as it was. */
export interface Restartable {
  readonly process: RunningProcess;
  /** TERM and a wait for its ordered end, or KILL at once. */
  stop(how?: "TERM" | "KILL"): Promise<ExitInfo>;
  start(): Promise<void>;
}
