import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { compileCache } from "../compile-cache.ts";
import { type ExitInfo, type RunningProcess, type StartProcessOptions, startProcess } from "../processes/index.ts";
import { repoRoot } from "../repo-root.ts";

export type Program = "hub" | "agent" | "cli";

/** Names the folder where a run of tests keeps what it bundled of the programs' sources. */
export const programsVariable = "FAIRLEAD_TEST_PROGRAMS";

/** The arguments that make this Node run one of our programs from its sources, or from what was bundled of them. */
export function programArgs(program: Program): string[] {
  const folder = process.env[programsVariable];
  if (folder !== undefined) return [join(folder, `${program}.mjs`)];
  return ["--conditions=@fairlead/source", join(repoRoot, "packages", program, "src", "main.ts")];
}

/** The same for a script of tests, `x.fixture.ts`, which is bundled where vitest-bundle-programs.ts names it. */
export function scriptArgs(script: string): string[] {
  const bundled = join(process.env[programsVariable] ?? "", `${basename(script, ".ts")}.mjs`);
  return existsSync(bundled) ? [bundled] : ["--conditions=@fairlead/source", script];
}

/** Starts one of our programs on a leash. */
export function startProgram(
  program: Program,
  options: Omit<StartProcessOptions, "command" | "name"> & {
    name?: string;
    /** A command that runs the one which follows as its arguments. */
    launcher?: readonly string[];
    /** Runs the last build's output, as users do. Node's reading of TypeScript takes memory of its own. */
    isBuilt?: boolean | undefined;
    /** A folder with programs of another version, as `programsVariable` names one for this version. */
    programs?: string | undefined;
  },
): Promise<RunningProcess> {
  const { launcher = [], name = program, args = [], isBuilt = false, programs, env = {}, ...rest } = options;
  const built = join(repoRoot, "packages", program, "dist", "main.js");
  const current = isBuilt ? [built] : programArgs(program);
  const entry = programs === undefined ? current : [join(programs, `${program}.mjs`)];
  const [command = process.execPath, ...all] = [...launcher, process.execPath, ...entry, ...args];
  return startProcess({ ...rest, name, command, args: all, env: { ...compileCache(), ...env } });
}

/** A program that can be ended in any way and started again as it was. */
export interface Restartable {
  readonly process: RunningProcess;
  /** TERM and a wait for its ordered end, or KILL at once. */
  stop(how?: "TERM" | "KILL"): Promise<ExitInfo>;
  start(): Promise<void>;
}
