import { execFile } from "node:child_process";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** Output of a command in the plain locale. Throws when it fails or takes too long. */
export async function run(
  command: string,
  args: readonly string[],
  options: { cwd?: string; env?: Readonly<Record<string, string>> } = {},
): Promise<string> {
  const env = { ...process.env, ...options.env, LC_ALL: "C", DEBIAN_FRONTEND: "noninteractive" };
  const { stdout } = await execute(command, [...args], { ...options, env, timeout: 300_000, maxBuffer: 64 << 20 });
  return stdout;
}
