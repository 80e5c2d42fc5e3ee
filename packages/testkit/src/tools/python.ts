// The official Kubernetes client for Python, in a folder of its own beside the other tools.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { clientUnavailable } from "../errors.ts";
import { repoRoot } from "../repo-root.ts";
import { cacheRoot } from "./cache.ts";
import { makeFolderOnce } from "./make-folder.ts";

export interface PythonClient {
  /** Absolute path of the interpreter. */
  readonly python: string;
  /** Variables that its process needs in addition, for the folder of the packages. */
  readonly env: Readonly<Record<string, string>>;
}

const requirements = join(repoRoot, "tools", "python", "requirements.txt");
const run = promisify(execFile);

/** Python with the packages of tools/python/requirements.txt. */
export async function ensurePythonClient(): Promise<PythonClient> {
  const { executable, version } = await askPython();
  const hash = createHash("sha256").update(await readFile(requirements));
  const key = hash.update(`${version} ${process.arch}`).digest("hex").slice(0, 16);
  const folder = join(cacheRoot(), "tools", `python-${key}`);
  await makeFolderOnce(folder, (draft) => install(executable, draft));
  return { python: executable, env: { PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: "1" } };
}

/** Gives the interpreter itself: PATH may lead to a script that chooses among several. */
async function askPython(): Promise<{ executable: string; version: string }> {
  const code = "import sys, json; print(json.dumps([sys.executable, sys.implementation.cache_tag]))";
  try {
    const { stdout } = await run("python3", ["-c", code], { timeout: 30_000 });
    const [executable, version] = JSON.parse(stdout) as [string, string];
    return { executable, version };
  } catch (cause) {
    throw clientUnavailable({ name: "python3", reason: "it is not on this machine", cause });
  }
}

async function install(python: string, folder: string): Promise<void> {
  const args = ["--disable-pip-version-check", "--no-input", "install", "--quiet", "--no-deps", "--target", folder];
  try {
    await run(python, ["-m", "pip", ...args, "--requirement", requirements], { timeout: 300_000 });
  } catch (cause) {
    throw clientUnavailable({ name: "the Kubernetes client for Python", reason: "pip could not install it", cause });
  }
}
