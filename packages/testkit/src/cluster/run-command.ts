import { spawn } from "node:child_process";
import { testkitErrors } from "../errors.ts";

export interface CommandOptions {
  /** Sent to stdin, which is then closed. Without it stdin is empty. */
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly timeoutMs?: number;
  /** Resolve for any exit code instead of throwing for those but 0. */
  readonly allowFailure?: boolean;
}

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export function runCommand(command: string, args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  const { input, env, cwd, timeoutMs = 60_000, allowFailure = false } = options;
  const child = spawn(command, args, { env, cwd, timeout: timeoutMs, killSignal: "SIGKILL" });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
  // A command may end without having read its input.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exitCode, signal) => {
      const result = {
        code: exitCode ?? 137,
        stdout: Buffer.concat(stdout).toString("utf8"),
        stderr: Buffer.concat(stderr).toString("utf8") + (signal === null ? "" : `\n(ended by ${signal})`),
      };
      if (result.code === 0 || allowFailure) return resolve(result);
      const output = (result.stderr || result.stdout).trim().slice(-4000);
      reject(
        testkitErrors.TESTKIT_COMMAND_FAILED({ command: [command, ...args].join(" "), code: result.code, output }),
      );
    });
  });
}
