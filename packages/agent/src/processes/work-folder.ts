// A private folder for the programs of one claim. Folders that a dead process of ours left are removed when the agent
// starts.
import { chmod, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";

export interface WorkFolder extends AsyncDisposable {
  readonly path: string;
  /** A folder in it for temporary files. */
  readonly temporary: string;
}

export async function openWorkFolder(
  parent: string,
  /** With a runner of another user, by a group that both are in. */
  { isShared = false }: { readonly isShared?: boolean | undefined } = {},
): Promise<WorkFolder> {
  // Programs get it in variables, and run in folders of their own.
  const path = await mkdtemp(join(resolve(parent), prefix));
  if (isShared) await chmod(path, 0o770);
  const temporary = join(path, "tmp");
  await mkdir(temporary, { mode: sharedFolderMode });
  return {
    path,
    temporary,
    [Symbol.asyncDispose]: () => remove(path),
  };
}

/** Only where no other agent uses the folder. */
export async function removeWorkFolders(parent: string): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  await Promise.all(names.filter((name) => name.startsWith(prefix)).map((name) => remove(join(parent, name))));
}

/** Programs may still be on their way out, and write while we remove. */
async function remove(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

/** The folder of the run keeps everybody else out. */
export const sharedFolderMode = 0o770;
export const sharedFileMode = 0o660;
const prefix = "work-";
