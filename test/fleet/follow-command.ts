import { spawn } from "node:child_process";
import { waitUntil } from "@fairlead/kernel/testing";

/** A command that goes on printing, such as a watch; ended with the scope that holds it. */
export interface FollowedCommand extends AsyncDisposable {
  readonly pid: number;
  readonly output: string;
  /** Undefined while it runs. */
  readonly exitCode: number | undefined;
  /** Fails with what was printed when the pattern doesn't show within a minute. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>;
  waitForExit(): Promise<number>;
  write(text: string): void;
}

export function followCommand(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): FollowedCommand {
  const child = spawn(command, args, { env, stdio: ["pipe", "pipe", "pipe"] });
  let output = "";
  let exitCode: number | undefined;
  const ended = new Promise<number>((resolve) => {
    child.once("close", (code) => {
      exitCode = code ?? 137;
      resolve(exitCode);
    });
  });
  child.stdin.on("error", () => {});
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  return {
    pid: child.pid ?? 0,
    get output() {
      return output;
    },
    get exitCode() {
      return exitCode;
    },
    async waitFor(pattern) {
      await waitUntil(() => pattern.test(output) || exitCode !== undefined, { timeoutMs: 60_000 });
      const match = pattern.exec(output);
      if (match) return match;
      throw new Error(`${pattern} is not in the output of ${command} ${args.join(" ")} (exit ${exitCode}):\n${output}`);
    },
    async waitForExit() {
      await waitUntil(() => exitCode !== undefined, { timeoutMs: 60_000 });
      if (exitCode === undefined) throw new Error(`${command} ${args.join(" ")} still runs; it printed:\n${output}`);
      return exitCode;
    },
    write: (text) => void child.stdin.write(text),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
