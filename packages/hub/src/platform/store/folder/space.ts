import { statfsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

export function hasSpaceFor(folder: string, bytes: number): boolean {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= bytes;
}

/** Bytes of all files in there. */
export async function measureFolder(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return bytes;
}

export const newDatabaseBytes: number = 64 * 1024 * 1024;
export const runningDatabaseBytes: number = 32 * 1024 * 1024;
