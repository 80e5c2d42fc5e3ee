// Asks a program which version it is, as it would be run for a command.
import { realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { type Clock, systemClock } from "@fairlead/kernel";
import { childEnvironment } from "./environment.ts";
import type { Fence } from "./fence.ts";
import { findProgram } from "./find-program.ts";
import { runProcess } from "./run-process.ts";
import { openWorkFolder } from "./work-folder.ts";

export interface VersionQuestion {
  /** Found on the agent's PATH. */
  readonly name: string;
  readonly args: readonly string[];
  /** Its first group is the version. */
  readonly answer: RegExp;
}

/** Undefined when its answer is none. Throws PROCESS_PROGRAM_MISSING and PROCESS_NOT_STARTED. */
export async function askVersion(
  { name, args, answer }: VersionQuestion,
  options: {
    /** The agent's own variables. */
    readonly environment: Readonly<Record<string, string | undefined>>;
    /** Where programs have their folders. */
    readonly folder: string;
    readonly signal: AbortSignal;
    readonly clock?: Clock;
    /** Undefined: it has the agent's own rights on this machine. */
    readonly fence?: Fence | undefined;
  },
): Promise<string | undefined> {
  const { environment, signal, fence, clock = systemClock } = options;
  const found = await findProgram(name, environment["PATH"]);
  const program = fence ? { ...found, path: await realpath(found.path) } : found;
  await using folder = await openWorkFolder(fence?.folder ?? options.folder, { isShared: fence?.isShared });
  using place = await fence?.enter(signal);
  const ended = AbortSignal.any([signal, AbortSignal.timeout(answerMs)]);
  const { exitCode, stdout } = await runProcess({
    program,
    args,
    folder: folder.path,
    clock,
    signal: ended,
    forced: ended,
    environment: childEnvironment({ from: environment, home: folder.path, temporary: folder.temporary }),
    onStderr: () => undefined,
    fence: place && { place, write: [folder.path], read: [dirname(program.path)], ports: [] },
    pace: { interruptMs: 0, terminateMs: 1_000 },
  });
  return exitCode === 0 ? answer.exec(stdout.toString("utf8"))?.[1] : undefined;
}

/** A machine that is busy with other things takes seconds to read a program of 100 MB. */
const answerMs = 20_000;
