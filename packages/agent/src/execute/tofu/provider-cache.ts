// Packages of providers that the runs of an agent share, kept as OpenTofu keeps them. OpenTofu links to what it takes from
// there, and another init may write over it. So one init at a time has them, and each run leaves with copies of its own.
import { cp, mkdir, readdir, realpath, rename, rm, stat, unlink } from "node:fs/promises";
import { join, sep } from "node:path";
import { Slots } from "@fairlead/kernel";
import { sharedFolderMode } from "../../processes/index.ts";

export interface ProviderCache {
  readonly folder: string;
  /** `init` is OpenTofu's, with these variables; it puts providers into `folder`. */
  use<Told>(
    options: {
      readonly folder: string;
      /** A folder that the cache has links to. */
      readonly mirror?: string | undefined;
      readonly signal: AbortSignal;
    },
    init: (environment: Readonly<Record<string, string>>) => Promise<Told>,
  ): Promise<Told>;
}

export function createProviderCache(options: {
  /** Nobody else's. */
  readonly folder: string;
  /** With more it is emptied. */
  readonly mostBytes?: number;
}): ProviderCache {
  const { folder: shared, mostBytes = 2 * 1024 ** 3 } = options;
  const turns = new Slots(1);
  return {
    folder: shared,
    async use({ folder, mirror, signal }, init) {
      const leave = await turns.enter(signal);
      try {
        await mkdir(shared, { recursive: true, mode: sharedFolderMode });
        const told = await init({ TF_PLUGIN_CACHE_DIR: shared });
        const roots = mirror === undefined ? [shared] : [shared, mirror];
        await replaceLinks(folder, await Promise.all(roots.map((root) => realpath(root))));
        return told;
      } finally {
        if ((await countBytes(shared)) > mostBytes) await rm(shared, { recursive: true, force: true });
        leave();
      }
    },
  };
}

/** By copies of what they lead to in these folders. */
async function replaceLinks(folder: string, roots: readonly string[]): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await replaceLinks(path, roots);
    if (!entry.isSymbolicLink()) continue;
    const copy = `${path}.copy`;
    const target = await realpath(path);
    await unlink(path);
    if (!roots.some((root) => target.startsWith(root + sep))) continue;
    await cp(target, copy, { recursive: true, dereference: true });
    await rename(copy, path);
  }
}

async function countBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  let bytes = 0;
  for (const file of files)
    bytes += await stat(file).then(
      ({ size }) => size,
      () => 0,
    );
  return bytes;
}
