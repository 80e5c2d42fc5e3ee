// Other programs of the person's own, such as kubectl and helm: never by a shell, and no secret among the arguments.
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { programHung, programsErrors } from "./errors.ts";

export interface ProgramResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** The text for its standard input; nothing unless given. */
  readonly input?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly signal: AbortSignal;
}

/** Any exit code is an answer. A program that can't be started or doesn't end is an error. */
export async function runProgram(
  program: string,
  args: readonly string[],
  { input = "", timeoutMs = 60_000, signal }: RunOptions,
): Promise<ProgramResult> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"], signal: AbortSignal.any([signal, timeout]) });
  const ended = new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? 1));
  });
  // It may end without having read everything.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  try {
    const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
    return { code, stdout, stderr };
  } catch (thrown) {
    signal.throwIfAborted();
    if (timeout.aborted) throw programHung(program, timeoutMs);
    throw programsErrors.CLI_PROGRAM_MISSING({ program, cause: thrown });
  }
}

const isAdvice = /^Use --debug flag /;

/** Where programs say why they failed. */
export function lastLine({ stdout, stderr }: ProgramResult): string {
  // Helm's advice comes after the reason.
  const lines = (stderr.trim() || stdout.trim()).split("\n").filter((line) => line !== "" && !isAdvice.test(line));
  return (lines.at(-1) ?? "").replace(/^(?:error|Error): /, "").slice(0, 1_000);
}
