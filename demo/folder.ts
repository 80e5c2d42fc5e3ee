// The demo writes into a single folder, which belongs to one demo at a time.
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { type FileLock, tryFileLock } from "@fairlead/testkit";

const lockName = "lock";

/** Empties the folder of what an earlier demo left. Throws while another one runs; one that was killed doesn't count. */
export async function takeFolder(path: string): Promise<FileLock> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const lockPath = join(path, lockName);
  const lock = await tryFileLock(lockPath);
  if (lock === undefined) throw new DemoRunning(await readOwner(lockPath));
  for (const name of await readdir(path)) {
    if (name !== lockName) await rm(join(path, name), { recursive: true, force: true });
  }
  return lock;
}

export class DemoRunning extends Error {
  constructor(pid: number | undefined) {
    const which = pid === undefined ? "" : ` (process ${pid})`;
    super(`Another demo is running in this checkout${which}. Use that one, or stop it first with Ctrl-C.`);
  }
}

async function readOwner(lockPath: string): Promise<number | undefined> {
  try {
    return (JSON.parse(await readFile(lockPath, "utf8")) as { pid: number }).pid;
  } catch {
    return undefined;
  }
}
