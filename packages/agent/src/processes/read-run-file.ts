// Reads a file that a program of others may have made: never through a link out of the run's folder, and never a pipe that
// nobody writes to.
import { constants } from "node:fs";
import { type FileHandle, open, readlink, realpath } from "node:fs/promises";
import { sep } from "node:path";

/** Rejects where it is no file of that folder, or larger than `mostBytes`. */
export async function readRunFile(
  file: string,
  { folder, mostBytes = 256 * 1024 * 1024 }: { readonly folder: string; readonly mostBytes?: number },
): Promise<Buffer> {
  await using opened = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  const found = await opened.stat();
  if (!found.isFile() || !(await isBelow(opened, file, folder))) throw new Error("It is no file of the run's folder.");
  if (found.size > mostBytes) throw new Error(`It is larger than ${mostBytes} bytes.`);
  return await opened.readFile();
}

/** By what was opened: a path may lead elsewhere a moment later. */
async function isBelow({ fd }: FileHandle, file: string, folder: string): Promise<boolean> {
  const [opened, root] = [await readlink(`/proc/self/fd/${fd}`).catch(() => realpath(file)), await realpath(folder)];
  return opened.startsWith(root + sep);
}
