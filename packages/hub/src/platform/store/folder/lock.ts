// A data folder belongs to one hub, on whatever node: PostgreSQL's own lock protects against servers of the same
// machine only. The lock file is made whole and then linked into place (atomic, fails when one is there). A lock whose
// owner is gone is taken over, so a hub that was killed starts again without help.
import { link, mkdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
// Unlike the kernel's `sleep` this one keeps the process alive: nothing else may be there to do so while a hub starts.
import { setTimeout as sleep } from "node:timers/promises";
import { storeErrors } from "../errors.ts";
import { describeThisProcess, isProcessAlive, type ProcessMark } from "./process-mark.ts";

export interface FolderLock extends AsyncDisposable {
  /** Says in the lock that its owner is ready to serve. */
  markServing(): Promise<void>;
  /** True when another owner holds the lock by now and serves. */
  isServedByAnother(): Promise<boolean>;
}

export async function lockFolder(
  dataDir: string,
  options: { readonly foreignWaitMs?: number } = {},
): Promise<FolderLock> {
  const { foreignWaitMs = defaultForeignWaitMs } = options;
  await makeFolder(dataDir);
  const path = lockFile(dataDir);
  const mine: Owner = { ...(await describeThisProcess()), nonce: crypto.randomUUID() };
  const draft = `${path}.${mine.nonce}`;
  await writeFile(draft, JSON.stringify(mine), { flag: "wx", mode: 0o600 });
  try {
    while (!(await linkInto(draft, path)) && !(await takeOver({ path, draft, dataDir, mine, foreignWaitMs })));
  } finally {
    await rm(draft, { force: true });
  }
  const beat = setInterval(() => void touch(path), beatMs).unref();
  return {
    async markServing() {
      await writeFile(draft, JSON.stringify({ ...mine, isServing: true }), { flag: "wx", mode: 0o600 });
      await rename(draft, path);
    },
    async isServedByAnother() {
      const owner = await readOwner(path);
      return owner !== undefined && owner.nonce !== mine.nonce && owner.isServing === true;
    },
    async [Symbol.asyncDispose]() {
      clearInterval(beat);
      if ((await readOwner(path))?.nonce === mine.nonce) await rm(path, { force: true });
    },
  };
}

export function lockFile(dataDir: string): string {
  return join(dataDir, "hub.lock");
}

interface Owner extends ProcessMark {
  /** Tells two owners apart, whatever their pids. */
  readonly nonce: string;
  readonly isServing?: boolean;
}

interface Contest {
  readonly path: string;
  /** A file that holds our mark. */
  readonly draft: string;
  readonly dataDir: string;
  readonly mine: Owner;
  readonly foreignWaitMs: number;
}

/** Node's own recursive mkdir says ENOENT for a read-only file system. */
async function makeFolder(path: string, options: { readonly isParentThere?: boolean } = {}): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    // /proc, and behind a link to nowhere, say ENOENT however often their parent is made.
    if (code !== "ENOENT" || options.isParentThere || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await makeFolder(path, { isParentThere: true });
  }
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

/**
 * Replaces a dead owner's lock with ours. Throws STORE_LOCKED when the owner lives; false says "look again". A claim
 * that names the dead owner settles the contest, so only one of many that come at once gets through. The winner looks
 * once more, because another may have been through before. A claim whose holder died is inherited in the same way.
 */
async function takeOver(contest: Contest): Promise<boolean> {
  const { path, draft } = contest;
  const owner = await readOwner(path);
  const dead = [await mustBeDead(contest, owner)];
  let claim = `${path}.after-${dead[0]}`;
  while (!(await linkInto(draft, claim))) {
    const heir = await mustBeDead(contest, await readOwner(claim));
    if (dead.includes(heir)) return false;
    dead.push(heir);
    claim = `${path}.after-${heir}`;
  }
  const isStillDeads = dead.includes((await readOwner(path))?.nonce ?? nobody) && (await exists(path));
  if (isStillDeads) await rename(draft, path);
  await Promise.all(dead.map((nonce) => rm(`${path}.after-${nonce}`, { force: true })));
  return isStillDeads;
}

async function mustBeDead(contest: Contest, owner: Owner | undefined): Promise<string> {
  if (owner && (await isOwnerAlive(contest, owner)))
    throw storeErrors.STORE_LOCKED({ pid: owner.pid, dataDir: contest.dataDir });
  return owner?.nonce ?? nobody;
}

/**
 * A process of this machine (and container) can be looked up. A process from elsewhere, as after a pod was replaced,
 * can't: its lock is watched for a while, and if it isn't touched the owner is taken for dead.
 */
async function isOwnerAlive({ path, mine, foreignWaitMs }: Contest, owner: Owner): Promise<boolean> {
  if (owner.place === mine.place) return await isProcessAlive(owner);
  const before = await readBeat(path);
  const untilMs = performance.now() + foreignWaitMs;
  while (performance.now() < untilMs) {
    await sleep(Math.min(foreignPollMs, foreignWaitMs));
    const now = await readBeat(path);
    if (now === undefined) return false;
    if (now !== before) return true;
  }
  return false;
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

async function exists(path: string): Promise<boolean> {
  return (await readBeat(path)) !== undefined;
}

async function touch(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now).catch(() => undefined); // the store's own calls tell when the disk is gone
}

/** Stands for the owner in a file that holds none. */
const nobody = "nobody";
const beatMs = 1_000;
const foreignPollMs = 200;
/** Well over what keeps a hub from its beats at worst: a machine with too much to do. */
const defaultForeignWaitMs = 10_000;
