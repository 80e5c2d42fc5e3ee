import { copyFile, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

/** Gives the folder that is named, or a new one that is removed with the stack. */
export async function openStateDir(options: {
  readonly stateDir: string | undefined;
  readonly prefix: string;
  readonly undo: AsyncDisposableStack;
}): Promise<string> {
  const { stateDir, prefix, undo } = options;
  if (stateDir !== undefined) {
    await mkdir(stateDir, { recursive: true, mode: 0o700 });
    return stateDir;
  }
  const folder = await mkdtemp(join(tmpdir(), prefix));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  undo.defer(() => keepLogs(folder));
  return folder;
}

/** FAIRLEAD_KEEP_LOGS names the place, for people who look for the cause of a rare failure. */
export async function keepLogs(folder: string, prefix: string = basename(folder)): Promise<void> {
  const kept = process.env["FAIRLEAD_KEEP_LOGS"];
  if (kept === undefined) return;
  await mkdir(kept, { recursive: true });
  for (const name of await readdir(folder)) {
    if (name.endsWith(".log")) await copyFile(join(folder, name), join(kept, `${prefix}-${name}`));
  }
}
