// Walks what was checked out. A link out of the tree would show a command's programs files of the agent.
import { lstat, open, readdir, readlink, realpath } from "node:fs/promises";
import { isAbsolute, join, relative, resolve } from "node:path";
import { gitErrors } from "../errors.ts";
import { showPath } from "./show-path.ts";

/** Throws GIT_LINK_LEAVES. */
export async function checkLinks(folder: string): Promise<{ readonly lfsFiles: number }> {
  const root = await realpath(folder);
  let lfsFiles = 0;
  const folders = [root];
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    for (const entry of await readdir(at, { withFileTypes: true })) {
      const path = join(at, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isSymbolicLink()) await checkLink(root, at, path);
      else if (await isLfsPointer(path)) lfsFiles++;
    }
  }
  return { lfsFiles };
}

/** By its text, and by where it leads over other links. */
async function checkLink(root: string, folder: string, path: string): Promise<void> {
  const target = await readlink(path);
  const real = await realpath(path).catch(() => undefined);
  const isInside =
    !isAbsolute(target) &&
    contains(root, resolve(folder, target)) &&
    (real === undefined ? goesUpFirst(target) : contains(root, real));
  if (!isInside) throw gitErrors.GIT_LINK_LEAVES({ path: showPath(relative(root, path)) });
}

/** What isn't there yet is judged by the text: going up from another link's end leads anywhere. */
function goesUpFirst(target: string): boolean {
  return !/(?:^|\/)(?!\.{1,2}(?:\/|$))[^/]+\/(?:.*\/)?\.\.(?:\/|$)/.test(target);
}

function contains(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== ".." && !way.startsWith("../") && !isAbsolute(way) && way.split("/")[0] !== ".git";
}

async function isLfsPointer(path: string): Promise<boolean> {
  const { size } = await lstat(path);
  if (size < pointer.length || size > 1024) return false;
  await using file = await open(path);
  const { buffer } = await file.read({ buffer: Buffer.alloc(pointer.length), position: 0 });
  return buffer.toString("latin1") === pointer;
}

const pointer = "version https://git-lfs.github.com/spec/v1";
