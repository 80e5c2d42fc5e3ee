// A lock file between processes. It names its holder, so that one left by a killed process can be taken over.
import { randomBytes } from "node:crypto";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { testkitErrors } from "../errors.ts";
import { isAlive, type ProcessIdentity, thisProcess } from "./process-identity.ts";

export interface FileLock extends AsyncDisposable {
  readonly path: string;
}

/** Takes the lock, or gives undefined when a living process (this one too) holds it. */
export async function tryFileLock(path: string, owner: ProcessIdentity = thisProcess): Promise<FileLock | undefined> {
  const content = JSON.stringify({ ...owner, token: randomBytes(8).toString("hex") });
  if (await create(path, content)) return hold(path, content);
  const held = await read(path);
  if (held !== undefined && !isStale(held)) return undefined;
  if (held !== undefined) await removeStale(path, held);
  return (await create(path, content)) ? hold(path, content) : undefined;
}

export async function waitForFileLock(options: {
  path: string;
  timeoutMs: number;
  onWait?: () => void;
  pollMs?: number;
  signal?: AbortSignal | undefined;
}): Promise<FileLock> {
  const { path, timeoutMs, onWait, pollMs = 200, signal } = options;
  const startedAt = performance.now();
  for (;;) {
    signal?.throwIfAborted();
    const lock = await tryFileLock(path);
    if (lock !== undefined) return lock;
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > timeoutMs) {
      throw testkitErrors.TOOLS_LOCK_TIMEOUT({ file: path, seconds: Math.round(waitedMs / 1000) });
    }
    onWait?.();
    await delay(pollMs, undefined, { signal });
  }
}

/** link() makes the name and its content appear in one step; open("wx") would show an empty file for a moment. */
async function create(path: string, content: string): Promise<boolean> {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  await writeFile(draft, content);
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

function hold(path: string, content: string): FileLock {
  return {
    path,
    async [Symbol.asyncDispose]() {
      if ((await read(path)) === content) await rm(path, { force: true });
    },
  };
}

async function read(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function isStale(content: string): boolean {
  try {
    return !isAlive(JSON.parse(content) as ProcessIdentity);
  } catch {
    return true;
  }
}

/** Among several that see the same stale lock one moves it away. A process that moved a fresh one puts it back. */
async function removeStale(path: string, stale: string): Promise<void> {
  const aside = `${path}.stale.${process.pid}.${randomBytes(4).toString("hex")}`;
  try {
    await rename(path, aside);
    if ((await read(aside)) !== stale) await link(aside, path);
  } catch (error) {
    if (!["ENOENT", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  } finally {
    await rm(aside, { force: true });
  }
}
