import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { waitForFileLock } from "../locks/index.ts";

const timeoutMs = 10 * 60_000;

/** A folder that is filled once, by one of all the processes that want it, and appears whole or not at all. */
export async function makeFolderOnce(folder: string, fill: (draft: string) => Promise<void>): Promise<void> {
  if (await isFolder(folder)) return;
  await mkdir(dirname(folder), { recursive: true });
  await using _lock = await waitForFileLock({ path: `${folder}.lock`, timeoutMs });
  if (await isFolder(folder)) return;
  const draft = `${folder}.${process.pid}`;
  try {
    await mkdir(draft, { recursive: true });
    await fill(draft);
    await rename(draft, folder);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

function isFolder(path: string): Promise<boolean> {
  return readdir(path).then(
    () => true,
    () => false,
  );
}
