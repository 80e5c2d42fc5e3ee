import { join } from "node:path";
import { type ChildEnvironment, readRunFile, type StopPace } from "../../processes/index.ts";
import { cutText } from "../cut-text.ts";
import type { ProgramRun, Programs } from "../programs.ts";
import type { RunLog, SecretValues } from "../types.ts";
import { readEvent } from "./events.ts";

export interface TofuCli {
  /** Runs OpenTofu and reads what it does, event by event. */
  run(args: readonly string[], also?: TofuRun): Promise<Told>;
  /** Runs OpenTofu and reads its answer whole, without showing it to anybody. */
  read(
    args: readonly string[],
    how?: Pick<ProgramRun, "isRepair" | "signal">,
  ): Promise<{ exitCode: number; stdout: string }>;
}

export interface TofuRun {
  /** More variables. */
  readonly environment?: ChildEnvironment;
  /** More folders to write to. */
  readonly write?: readonly string[];
}

export interface Told {
  readonly exitCode: number;
  /** The first errors, each in a sentence. */
  readonly errors: readonly string[];
  /** Their summaries. */
  readonly summaries: readonly string[];
  /** The actions done to objects (create, update, delete …), one for each that came to its end. */
  readonly applied: readonly string[];
}

export function createTofuCli(options: {
  readonly programs: Programs;
  readonly folder: string;
  readonly environment: ChildEnvironment;
  readonly log: RunLog;
  /** Folders beside those of the claim. */
  readonly read: readonly string[];
}): TofuCli {
  const { programs, folder, environment, log, read } = options;
  let isInside = false;
  const onStderr = (line: string, isCut = false): void => {
    log.line(isInside ? line : `tofu: ${line}`, isCut);
    isInside = isCut;
  };
  return {
    async run([command = "", ...args], { environment: more, write } = {}) {
      const errors: string[] = [];
      const summaries: string[] = [];
      const applied: string[] = [];
      const onStdout = (line: string): void => {
        const event = readEvent(line);
        if (event === undefined) return;
        if (event.is === "applied") applied.push(event.action);
        for (const text of event.is === "diagnostic" ? event.lines : [event.text]) log.line(text);
        if (event.is !== "diagnostic" || event.severity !== "error" || errors.length >= mostErrors) return;
        errors.push(event.lines.join(" ").replace(/^Error: /, ""));
        summaries.push(event.summary);
      };
      const words = join(programs.folder, "words");
      const { exitCode } = await programs.run({
        name: "sh",
        folder,
        pace,
        onStdout,
        onStderr,
        read,
        write,
        args: ["-c", unbroken, "sh", command, "-json-into=/dev/fd/9", ...args],
        environment: { ...environment, ...more, FAIRLEAD_WORDS: words },
      });
      if (exitCode !== 0 && errors.length === 0)
        for (const line of await readWords(words, programs.folder)) onStderr(line);
      return { exitCode, errors, summaries, applied };
    },
    async read(args, how = {}) {
      const { exitCode, stdout } = await programs.run({
        name: "tofu",
        folder,
        environment,
        pace,
        onStderr,
        args,
        read,
        ...how,
      });
      return { exitCode, stdout: stdout.toString("utf8") };
    },
  };
}

/** Reads what OpenTofu said beside its events, such as the trace of a crash. */
async function readWords(file: string, folder: string): Promise<readonly string[]> {
  const text = await readRunFile(file, { folder }).then(String, () => "");
  const lines = text.slice(-mostWords).split("\n");
  // A mask finds no value of which the beginning is missing.
  if (text.length > mostWords) lines.shift();
  return lines.filter((line) => line.trim() !== "");
}

/** For people: what went wrong, in one line. */
export function describeErrors({ errors, exitCode }: Told, secrets: Pick<SecretValues, "redact">): string {
  const [first, ...others] = errors;
  if (first === undefined) return `it ended with exit code ${exitCode}`;
  const more = others.length === 0 ? "" : `, and ${others.length} more`;
  return `${cutText(secrets, first, 1_000).replace(/\.$/, "")}${more}`;
}

/**
 * A first signal makes it end what is under way and store the state; a second one ends it at once, and what it made since
 * is known to nobody. So the second comes late, and none after it while the agent lives.
 */
const pace: StopPace = { interruptMs: 30 * 60_000, terminateMs: "never" };
const mostErrors = 10;
const mostWords = 64 * 1024;
/**
 * Go ends a program that writes to its output when nobody reads it any more: the agent's death would end OpenTofu before it
 * has written down what it made. So its events go through a pipe of another number, which it may lose.
 */
const unbroken = `
trap : INT TERM
code=$FAIRLEAD_WORDS.code
{ trap : INT TERM; tofu "$@" 9>&1 >/dev/null 2>"$FAIRLEAD_WORDS"; echo "$?" >"$code"; } |
  ( trap '' INT TERM; exec cat )
read -r ended <"$code"
exit "\${ended:-1}"
`;
