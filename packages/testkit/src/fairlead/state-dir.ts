import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The one named, or a new one that is removed with what stands on the stack. */
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
  return folder;
}
