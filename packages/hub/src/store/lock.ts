// PGlite takes no lock on its folder, and two processes on one folder destroy it. So the hub keeps a lock file: made
// whole and then linked into place (atomic, fails when one is there), holding the owner's pid and start time. A lock
// whose owner is gone is taken over, so a hub that was killed starts again without help.
import { link, mkdir, readFile, rename, rm, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { storeLocked } from "./errors.ts";

export interface FolderLock extends AsyncDisposable {
  readonly path: string;
}

export async function lockFolder(dataDir: string): Promise<FolderLock> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, "hub.lock");
  const mine: Owner = { pid: process.pid, startTicks: await readStartTicks(process.pid), nonce: crypto.randomUUID() };
  const draft = `${path}.${mine.nonce}`;
  await writeFile(draft, JSON.stringify(mine), { flag: "wx", mode: 0o600 });
  try {
    for (;;) {
      if (await linkInto(draft, path)) break;
      await removeStale(path, dataDir);
    }
  } finally {
    await rm(draft, { force: true });
  }
  return {
    path,
    async [Symbol.asyncDispose]() {
      if ((await readOwner(path))?.nonce === mine.nonce) await rm(path, { force: true });
    },
  };
}

interface Owner {
  readonly pid: number;
  /** Since boot, from /proc; tells the owner from a later process with the same pid. Undefined where there is no /proc. */
  readonly startTicks: string | undefined;
  readonly nonce: string;
}

async function linkInto(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Throws STORE_LOCKED when the owner lives. Of several that find a dead owner's lock, only one gets to move it away. */
async function removeStale(path: string, dataDir: string): Promise<void> {
  const owner = await readOwner(path);
  if (owner && (await isAlive(owner))) throw storeLocked({ pid: owner.pid, dataDir });
  const aside = `${path}.stale-${crypto.randomUUID()}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  const moved = await readOwner(aside);
  if (moved && moved.nonce !== owner?.nonce) {
    // Someone took the lock between our look and our move: give it back. Fails only if a third one was faster still.
    await linkInto(aside, path);
  }
  await unlink(aside);
}

async function readOwner(path: string): Promise<Owner | undefined> {
  try {
    const owner = JSON.parse(await readFile(path, "utf8")) as Partial<Owner> | null;
    return typeof owner?.pid === "number" && typeof owner.nonce === "string" ? (owner as Owner) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

async function isAlive(owner: Owner): Promise<boolean> {
  if (owner.startTicks !== undefined) return (await readStartTicks(owner.pid)) === owner.startTicks;
  try {
    process.kill(owner.pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Field 22 of /proc/PID/stat; the name before it may hold spaces and parentheses, so fields count from its last one. */
async function readStartTicks(pid: number): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
