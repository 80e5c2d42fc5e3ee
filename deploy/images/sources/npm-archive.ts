// Packages that npm doesn't install on this machine, such as those for another architecture: fetched by npm, held
// against the integrity that a lock file pins.
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { cachePath, makeFileOnce } from "../cache.ts";
import { imageErrors } from "../errors.ts";
import type { LockedNpmPackage } from "../lock.ts";
import { run } from "./run.ts";

/** Path of the package's archive. */
export async function fetchNpmArchive(wanted: LockedNpmPackage): Promise<string> {
  const { name, version, integrity } = wanted;
  const fileName = `${name.replace(/^@/, "").replace("/", "-")}-${version}-${shortDigest(integrity)}.tgz`;
  return makeFileOnce(cachePath("npm", fileName), async (draft) => {
    const folder = await mkdtemp(join(dirname(draft), "pack-"));
    try {
      const archive = await pack(`${name}@${version}`, folder);
      if (integrityOf(await readFile(archive)) !== integrity)
        throw imageErrors.IMAGE_PACKAGE_CORRUPT({ wanted: `${name} ${version}` });
      await rename(archive, draft);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}

/** Gives the registry's entry of a package, which must exist. */
export async function lookUpNpmPackage(name: string, version: string): Promise<LockedNpmPackage> {
  const args = ["view", `${name}@${version}`, "dist.integrity", "--json", "--loglevel=error"];
  const output = await run("npm", args).catch((cause: unknown) => {
    throw imageErrors.IMAGE_PACKAGES_UNAVAILABLE({ wanted: `${name} ${version}`, cause });
  });
  return { name, version, integrity: JSON.parse(output) as string };
}

async function pack(spec: string, folder: string): Promise<string> {
  const args = ["pack", spec, "--pack-destination", folder, "--json", "--prefer-offline", "--loglevel=error"];
  const output = await run("npm", args, { cwd: folder }).catch((cause: unknown) => {
    throw imageErrors.IMAGE_PACKAGES_UNAVAILABLE({ wanted: spec, cause });
  });
  const [{ filename }] = JSON.parse(output) as [{ filename: string }];
  return join(folder, filename.replace(/^@/, "").replace("/", "-"));
}

function integrityOf(content: Buffer): string {
  return `sha512-${createHash("sha512").update(content).digest("base64")}`;
}

function shortDigest(integrity: string): string {
  return createHash("sha256").update(integrity).digest("hex").slice(0, 16);
}
