// Node keeps compiled modules in a folder: a start that finds them there takes a fraction of the time.
import { lstatSync, mkdirSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { dirname, isAbsolute, join } from "node:path";
import { isSea } from "node:sea";

/** Does without where the folder can't be made, or isn't the caller's alone. */
export function useCompileCache(cacheFolder: string): void {
  // A single file has no modules to find.
  const folder = isSea() ? undefined : preparePrivateFolder(cacheFolder);
  if (folder !== undefined) enableCompileCache(folder);
}

/** What lies there is run: undefined unless nobody else may write there. */
export function preparePrivateFolder(cacheFolder: string): string | undefined {
  const folder = join(cacheFolder, "compiled");
  if (!isAbsolute(folder) || !makeFolder(dirname(cacheFolder))) return undefined;
  return isPrivate(cacheFolder) && isPrivate(folder) ? folder : undefined;
}

function isPrivate(folder: string): boolean {
  try {
    if (!makeFolder(folder)) return false;
    const stats = lstatSync(folder);
    if (!stats.isDirectory()) return false;
    // Windows has no such numbers, and keeps people out of each other's home folders.
    if (process.getuid === undefined) return true;
    return stats.uid === process.getuid() && (stats.mode & 0o077) === 0;
  } catch {
    return false;
  }
}

/** Its parent must be there: where a file system says of every folder that it isn't, Node's `recursive` never ends. */
function makeFolder(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (thrown) {
    return thrown instanceof Error && "code" in thrown && thrown.code === "EEXIST";
  }
  return true;
}
