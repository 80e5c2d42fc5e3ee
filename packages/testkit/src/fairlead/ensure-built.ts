// Tests of packages and images take what the last build made. Two builds at once write the same files, so one waits for
// the other, and a run of tests builds once.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runCommand } from "../cluster/index.ts";
import { waitForFileLock } from "../locks/index.ts";
import { repoRoot } from "../repo-root.ts";

export async function ensureBuilt(): Promise<void> {
  const folder = join(repoRoot, "node_modules", ".cache", "fairlead");
  const stamp = join(folder, "built-for");
  const run = process.env[testRunVariable];
  await mkdir(folder, { recursive: true });
  await using _lock = await waitForFileLock({ path: join(folder, "build.lock"), timeoutMs: buildMs });
  if (run !== undefined && (await readFile(stamp, "utf8").catch(() => "")) === run) return;
  const env = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "/" };
  await runCommand("npm", ["run", "--silent", "build:run"], { cwd: repoRoot, env, timeoutMs: buildMs });
  if (run !== undefined) await writeFile(stamp, run);
}

/** Names the run that a test belongs to. */
export const testRunVariable = "FAIRLEAD_TEST_RUN";
const buildMs = 300_000;
