// Asks a program which version it is, as it would be run for a command.
import { type Clock, systemClock } from "@fairlead/kernel";
import { childEnvironment } from "./environment.ts";
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
  },
): Promise<string | undefined> {
  const { environment, folder: parent, signal, clock = systemClock } = options;
  const program = await findProgram(name, environment["PATH"]);
  await using folder = await openWorkFolder(parent);
  const ended = AbortSignal.any([signal, AbortSignal.timeout(answerMs)]);
  const { exitCode, stdout } = await runProcess({
    ...{ program, args, folder: folder.path, clock, signal: ended, forced: ended },
    environment: childEnvironment({ from: environment, home: folder.path, temporary: folder.temporary }),
    onStderr: () => undefined,
    pace: { interruptMs: 0, terminateMs: 1_000 },
  });
  return exitCode === 0 ? answer.exec(stdout.toString("utf8"))?.[1] : undefined;
}

/** A machine that is busy with other things takes seconds to read a program of 100 MB. */
const answerMs = 20_000;
