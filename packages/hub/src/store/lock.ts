// PGlite takes no lock on its folder, and two processes on one folder destroy it. So the hub keeps a lock file: made
// whole and then linked into place (atomic, fails when one is there). A lock whose owner is gone is taken over, so a
// hub that was killed starts again without help.
import { link, mkdir, readFile, rename, rm, stat, unlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sleep } from "@fairlead/kernel";
import { storeLocked } from "./errors.ts";
import { describeThisProcess, isProcessAlive, type ProcessMark } from "./process-mark.ts";

export async function lockFolder(
  dataDir: string,
  options: { readonly foreignWaitMs?: number } = {},
): Promise<AsyncDisposable> {
  const { foreignWaitMs = defaultForeignWaitMs } = options;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, "hub.lock");
  const mine: Owner = { ...(await describeThisProcess()), nonce: crypto.randomUUID() };
  const draft = `${path}.${mine.nonce}`;
  await writeFile(draft, JSON.stringify(mine), { flag: "wx", mode: 0o600 });
  try {
    while (!(await linkInto(draft, path))) await removeStale({ path, dataDir, mine, foreignWaitMs });
  } finally {
    await rm(draft, { force: true });
  }
  const beat = setInterval(() => void touch(path), beatMs).unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(beat);
      if ((await readOwner(path))?.nonce === mine.nonce) await rm(path, { force: true });
    },
  };
}

interface Owner extends ProcessMark {
  /** Tells two owners apart, whatever their pids. */
  readonly nonce: string;
}

interface Contest {
  readonly path: string;
  readonly dataDir: string;
  readonly mine: Owner;
  readonly foreignWaitMs: number;
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

/** Throws STORE_LOCKED when the owner lives. Of several that find a dead owner's lock, only one moves it away. */
async function removeStale(contest: Contest): Promise<void> {
  const { path, dataDir } = contest;
  const owner = await readOwner(path);
  if (owner && (await isOwnerAlive(contest, owner))) throw storeLocked({ pid: owner.pid, dataDir });
  const aside = `${path}.stale-${crypto.randomUUID()}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  // Someone may have taken the lock between our look and our move: then it goes back.
  const moved = await readOwner(aside);
  if (moved && moved.nonce !== owner?.nonce) await linkInto(aside, path);
  await unlink(aside);
}

/**
 * A process of this machine (and container) can be looked up. One from elsewhere, as after a pod was replaced, can't:
 * its lock is watched for a while, and if it isn't touched the owner is taken for dead.
 */
async function isOwnerAlive({ path, mine, foreignWaitMs }: Contest, owner: Owner): Promise<boolean> {
  if (owner.place === mine.place) return await isProcessAlive(owner);
  const before = await readBeat(path);
  await sleep(foreignWaitMs);
  const after = await readBeat(path);
  return after !== undefined && after !== before;
}

async function readBeat(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mtimeMs;
  } catch {
    return undefined;
  }
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

async function touch(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now).catch(() => undefined); // the store's own calls tell when the disk is gone
}

const beatMs = 1_000;
/** Well over what keeps a hub's event loop busy at worst: PGlite starting, which takes seconds. */
const defaultForeignWaitMs = 10_000;
