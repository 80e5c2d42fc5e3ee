// Looks into a chart's folder of a repository before Helm does, which follows links: a link to a folder above it leads Helm
// in circles, and several of them without end.
import { createReadStream } from "node:fs";
import { lstat, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { ArchiveProblem, checkArchive, openBudget } from "./archive/check-archive.ts";

/** Throws ArchiveProblem. The tree has no links out of it, and a bounded number of files. */
export async function checkFolder(
  folder: string,
  { mostLinked = mostLinkedEntries }: { readonly mostLinked?: number } = {},
): Promise<void> {
  const budget = openBudget();
  let linked = 0;
  const folders = [{ path: folder, isLinked: false }];
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    for (const name of await readdir(at.path)) {
      const path = join(at.path, name);
      const isLinked = at.isLinked || (await lstat(path)).isSymbolicLink();
      if (isLinked && ++linked > mostLinked)
        throw new ArchiveProblem(`symbolic links in it lead to more than ${mostLinked} files`);
      // A link to nothing is Helm's to tell.
      const found = await stat(path).catch(() => undefined);
      if (found?.isDirectory()) folders.push({ path, isLinked });
      if (found?.isFile() && name.endsWith(".tgz")) await checkArchive(createReadStream(path), budget);
    }
  }
}

const mostLinkedEntries = 10_000;
