import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { releaseErrors } from "./errors.ts";

const execute = promisify(execFile);

/** Output of a command that a release needs. Throws when it fails or takes too long. */
export async function run(
  command: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<string> {
  const env = { ...process.env, ...options.env };
  const limits = { timeout: 600_000, maxBuffer: 64 << 20 };
  try {
    return (await execute(command, [...args], { cwd: options.cwd, env, ...limits })).stdout;
  } catch (error) {
    const { stderr = "", message } = error as Error & { stderr?: string };
    const output = (stderr || message).slice(-2000);
    throw releaseErrors.RELEASE_STEP_FAILED({ command: [command, ...args].join(" "), output });
  }
}
