// A cache of fetched files, each checked against its digest. A file comes to its place in one step.
import { randomBytes } from "node:crypto";
import { access, mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

export const root: string = join(import.meta.dirname, "..", "..");

export function cachePath(...parts: readonly string[]): string {
  return join(process.env["FAIRLEAD_CACHE_DIR"] ?? join(root, ".cache"), "images", ...parts);
}

/** Calls `make` with a path beside the file, unless the file is there; returns the file's path. */
export async function makeFileOnce(path: string, make: (draft: string) => Promise<void>): Promise<string> {
  if (await exists(path)) return path;
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    await make(draft);
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
  return path;
}

export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
