// How the show runs what a person would type: with the stage's environment, once or for as long as it goes on.
import { spawn } from "node:child_process";
import { runCommand } from "@fairlead/testkit";
import type { Stage } from "./stage.ts";

export function run(
  stage: Pick<Stage, "environment">,
  command: string,
  { timeoutMs = 60_000 }: { readonly timeoutMs?: number } = {},
): Promise<{ stdout: string }> {
  return runCommand("sh", ["-c", command], { env: stage.environment, timeoutMs });
}

export interface Follower {
  readonly lines: number;
  readonly last: string;
  /** Undefined while it runs. */
  readonly exitCode: number | undefined;
  stop(): void;
}

export function follow(stage: Pick<Stage, "environment">, command: string, onLine: (line: string) => void): Follower {
  const child = spawn("sh", ["-c", `exec ${command}`], {
    env: stage.environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const state = { lines: 0, last: "", exitCode: undefined as number | undefined, stop: () => void child.kill() };
  child.once("close", (code) => {
    state.exitCode = code ?? 143;
  });
  let rest = "";
  child.stdout.on("data", (chunk: Buffer) => {
    const parts = (rest + chunk.toString()).split("\n");
    rest = parts.pop() ?? "";
    for (const line of parts) {
      state.lines += 1;
      state.last = line;
      onLine(line);
    }
  });
  return state;
}

/** How long each claim may take on a machine that is busy with other things, too. */
export const patienceMs = 90_000;
