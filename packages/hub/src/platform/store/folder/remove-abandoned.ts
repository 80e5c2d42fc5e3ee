// A hub that was process 1 of its container took all processes along when it was killed, and left its folder: a pod's /tmp
// outlives its containers. The next hub with the same /tmp removes it.
import { lstat, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exists } from "../exists.ts";
import { lockFile, lockFolder } from "./lock.ts";
import { removeThrowaway } from "./remove-throwaway.ts";

/** Names of throwaway folders begin with it. They lie in the folder for temporary files. */
export const throwawayPrefix = "fairlead-hub-";

/** Leaves alone what a living hub has locked, wherever it runs, and what belongs to somebody else. */
export async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const folder = join(tmpdir(), name);
    if (name.startsWith(throwawayPrefix) && (await isOurs(folder))) await removeUnlessLocked(folder);
  }
}

/** A folder without a lock isn't a hub's, or is only being made. */
async function isOurs(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined);
  return found?.isDirectory() === true && found.uid === process.getuid?.() && (await exists(lockFile(folder)));
}

async function removeUnlessLocked(folder: string): Promise<void> {
  try {
    await using _lock = await lockFolder(folder);
    await removeThrowaway(folder);
  } catch {
    // A hub lives there, or another one is about it.
  }
}
