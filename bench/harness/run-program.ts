import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { repoRoot } from "@fairlead/testkit";

/** Runs a program of the repository that reads its settings from standard input and prints one line of JSON. */
export async function runProgram<T>(path: string, settings: object, nodeArgs: readonly string[] = []): Promise<T> {
  const child = spawn(process.execPath, ["--conditions=@fairlead/source", ...nodeArgs, join(repoRoot, path)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.end(JSON.stringify(settings));
  const exited = once(child, "exit");
  const output = await text(child.stdout);
  const [code] = await exited;
  if (code !== 0) throw new Error(`${path} ended with ${code}`);
  return JSON.parse(output) as T;
}
