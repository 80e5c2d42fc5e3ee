// A hub follows another on the same data folder without a gap. The next one waits for the lock and says so in a file that
// it touches. The one that stops sees it, lets the store go, and goes on serving from memory until the next one says in
// its lock that it serves.
import { rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type FairleadError, sleep } from "@fairlead/kernel";
import { storeErrors } from "../errors.ts";
import { type FolderLock, lockFolder } from "./lock.ts";

/** Takes the lock, waiting for its owner to let go for so long at most. Throws STORE_LOCKED after that. */
export async function waitForFolder(
  dataDir: string,
  options: { readonly waitMs: number; readonly onWait?: ((reason: FairleadError) => void) | undefined },
): Promise<FolderLock> {
  const { waitMs, onWait } = options;
  const untilMs = performance.now() + waitMs;
  const path = waitingFile(dataDir);
  const tell = (): void => void writeFile(path, "", { mode: 0o600 }).catch(() => undefined);
  let telling: NodeJS.Timeout | undefined;
  try {
    for (;;) {
      try {
        return await lockFolder(dataDir);
      } catch (error) {
        const isLocked = storeErrors.is(error, "STORE_LOCKED");
        if (!isLocked || performance.now() >= untilMs) throw error;
        if (telling === undefined) {
          await writeFile(path, "", { mode: 0o600 });
          telling = setInterval(tell, tellMs);
          onWait?.(error);
        }
      }
      await sleep(waitPollMs);
    }
  } finally {
    clearInterval(telling);
    await rm(path, { force: true });
  }
}

/** True when somebody waits for the lock right now. */
export async function isAwaited(dataDir: string): Promise<boolean> {
  try {
    const { mtimeMs } = await stat(waitingFile(dataDir));
    return Math.abs(Date.now() - mtimeMs) < waitingFreshMs;
  } catch {
    return false;
  }
}

/** False when nobody serves in time. */
export async function untilServed(lock: FolderLock, timeoutMs: number): Promise<boolean> {
  const untilMs = performance.now() + timeoutMs;
  while (performance.now() < untilMs) {
    if (await lock.isServedByAnother()) return true;
    await sleep(servedPollMs);
  }
  return false;
}

function waitingFile(dataDir: string): string {
  return join(dataDir, "hub.next");
}

const waitPollMs = 100;
const tellMs = 300;
const servedPollMs = 50;
const waitingFreshMs = 3_000;
