// Looks into a chart's folder of a repository before Helm does. Helm follows symbolic links, so a link to a folder above
// itself leads Helm in circles, and several of these links make more paths than anybody can walk.
import { createReadStream } from "node:fs";
import { lstat, readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { ArchiveProblem, checkArchive, openBudget } from "./archive/check-archive.ts";

/** Throws ArchiveProblem. The tree has no links out of it, and a bounded number of files. */
export async function checkFolder(
  folder: string,
  { mostLinked = mostLinkedEntries }: { readonly mostLinked?: number } = {},
): Promise<void> {
  const budget = openBudget();
  let linked = 0;
  const folders: Folder[] = [{ path: folder, isLinked: false, within: [await realpath(folder)] }];
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    for (const name of await readdir(at.path)) {
      const path = join(at.path, name);
      const isLinked = at.isLinked || (await lstat(path)).isSymbolicLink();
      if (isLinked && ++linked > mostLinked)
        throw new ArchiveProblem(`symbolic links in it lead to more than ${mostLinked} files`);
      // Helm reports a link to nothing.
      const found = await stat(path).catch(() => undefined);
      if (found?.isDirectory()) folders.push({ path, isLinked, within: await enter(path, at.within) });
      if (found?.isFile() && name.endsWith(".tgz")) await checkArchive(createReadStream(path), budget);
    }
  }
}

interface Folder {
  readonly path: string;
  /** True below a symbolic link. */
  readonly isLinked: boolean;
  /** The real paths of the folder and of those that it was entered by. */
  readonly within: readonly string[];
}

async function enter(path: string, within: readonly string[]): Promise<readonly string[]> {
  const real = await realpath(path);
  if (within.includes(real)) throw new ArchiveProblem("symbolic links in it lead in circles");
  return [...within, real];
}

const mostLinkedEntries = 10_000;
