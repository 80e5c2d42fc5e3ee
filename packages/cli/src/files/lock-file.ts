// A lock between processes of one user: a file that must not be there yet, and that names who made it. Nobody waits for
// a dead holder: one of this machine is looked up, any other is taken for dead once its file is old. The lock only
// spares work and lost changes; should two ever hold it, the hub takes both their refreshes.
import { link, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { createId } from "@fairlead/kernel";
import { cliErrors, fileNotWritten } from "../errors.ts";
import { pause } from "./pause.ts";
import { hasErrno, isMissing } from "./private-file.ts";

/** Waits for the lock; with `waitMs` 0 it is taken at once or not at all. */
export async function lockFile(file: string, options: { readonly waitMs: number }): Promise<AsyncDisposable> {
  const startedAt = performance.now();
  for (;;) {
    const lock = await tryLock(file);
    if (lock) return lock;
    if (performance.now() - startedAt >= options.waitMs) throw cliErrors.CLI_CONFIG_LOCKED({ lock: file });
    // Not in step with the others that wait.
    await pause(20 + Math.random() * 40);
  }
}

/** Undefined when someone who lives holds it. */
async function tryLock(file: string): Promise<AsyncDisposable | undefined> {
  const mine = JSON.stringify({ pid: process.pid, host: hostname(), nonce: createId("lock") });
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    if (!(await create(file, mine))) {
      const held = await read(file);
      if (held !== undefined && !(await isLeftBehind(file, held))) return undefined;
      if (held !== undefined) await removeLeftBehind(file, held);
      if (!(await create(file, mine))) return undefined;
    }
  } catch (thrown) {
    throw fileNotWritten(file, thrown);
  }
  return {
    async [Symbol.asyncDispose]() {
      if ((await read(file)) === mine) await rm(file, { force: true });
    },
  };
}

async function create(file: string, content: string): Promise<boolean> {
  try {
    await writeFile(file, content, { flag: "wx", mode: 0o600 });
    return true;
  } catch (thrown) {
    if (hasErrno(thrown, "EEXIST")) return false;
    throw thrown;
  }
}

async function read(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (thrown) {
    if (isMissing(thrown)) return undefined;
    throw thrown;
  }
}

async function isLeftBehind(file: string, held: string): Promise<boolean> {
  const { pid, host } = parseHolder(held);
  if (host === hostname() && pid !== undefined && !isAlive(pid)) return true;
  const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Date.now() }));
  return Date.now() - mtimeMs > oldestMs;
}

/** Nothing of a file that is just being written, or that isn't ours. */
function parseHolder(text: string): { readonly pid?: number; readonly host?: string } {
  try {
    const { pid, host } = JSON.parse(text) as Record<string, unknown>;
    return { ...(typeof pid === "number" && { pid }), ...(typeof host === "string" && { host }) };
  } catch {
    return {};
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return !hasErrno(thrown, "ESRCH");
  }
}

/** Moves the file aside and looks at what was caught: if another was quicker, it was a living one's and goes back. */
async function removeLeftBehind(file: string, held: string): Promise<void> {
  const aside = `${file}.${createId("tmp")}`;
  try {
    await rename(file, aside);
    if ((await read(aside)) !== held) await link(aside, file).catch(() => undefined);
  } catch (thrown) {
    if (!isMissing(thrown)) throw thrown;
  } finally {
    await rm(aside, { force: true });
  }
}

/** Nobody holds the lock this long: a refresh gives up before. */
const oldestMs = 40_000;
