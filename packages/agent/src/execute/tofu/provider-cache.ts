// Packages of providers that the runs of an agent share, kept as OpenTofu keeps them. OpenTofu links to what it takes from
// there, and another init may write over it. So one init at a time has them, and each run leaves with copies of its own.
import { cp, mkdir, readdir, realpath, rename, rm, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { orAbort, Slots } from "@fairlead/kernel";

export interface ProviderCache {
  /** `init` is OpenTofu's, with these variables; it puts providers into `folder`. */
  use<Told>(
    options: { readonly folder: string; readonly signal: AbortSignal },
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
    async use({ folder, signal }, init) {
      const leave = await takeTurn(signal);
      try {
        await mkdir(shared, { recursive: true, mode: 0o700 });
        const told = await init({ TF_PLUGIN_CACHE_DIR: shared });
        await replaceLinks(folder);
        return told;
      } finally {
        if ((await countBytes(shared)) > mostBytes) await rm(shared, { recursive: true, force: true });
        leave();
      }
    },
  };

  async function takeTurn(signal: AbortSignal): Promise<() => void> {
    const entering = turns.enter();
    try {
      return await orAbort(entering, signal);
    } catch (error) {
      void entering.then((leave) => leave());
      throw error;
    }
  }
}

/** By copies of what they lead to. */
async function replaceLinks(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await replaceLinks(path);
    if (!entry.isSymbolicLink()) continue;
    const copy = `${path}.copy`;
    await cp(await realpath(path), copy, { recursive: true, dereference: true });
    await unlink(path);
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
