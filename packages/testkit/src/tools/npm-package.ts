import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { clientUnavailable } from "../errors.ts";
import { cacheRoot } from "./cache.ts";
import { makeFolderOnce } from "./make-folder.ts";

export interface NpmPackage {
  readonly name: string;
  readonly version: string;
  /** SHA-512 of the archive as the registry states it, without `sha512-`. */
  readonly integrity: string;
}

const run = promisify(execFile);

/** The folder with a package's files. Fetched once by npm, refused if it isn't the archive that is expected. */
export async function ensureNpmPackage(wanted: NpmPackage): Promise<string> {
  const folder = join(cacheRoot(), "npm", `${wanted.name.replace("/", "+")}-${wanted.version}`);
  await makeFolderOnce(folder, (draft) => unpack(wanted, draft)).catch((cause: unknown) => {
    throw clientUnavailable({
      name: `${wanted.name} ${wanted.version}`,
      reason: "its npm package could not be fetched",
      cause,
    });
  });
  return join(folder, "package");
}

async function unpack(wanted: NpmPackage, folder: string): Promise<void> {
  const spec = `${wanted.name}@${wanted.version}`;
  const args = ["pack", spec, "--pack-destination", folder, "--json", "--loglevel=error"];
  const { stdout } = await run("npm", args, { cwd: folder, timeout: 300_000 });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  const archive = join(folder, filename);
  const digest = createHash("sha512")
    .update(await readFile(archive))
    .digest("base64");
  if (digest !== wanted.integrity) throw new Error(`${spec} is not the archive that is expected`);
  await run("tar", ["-xzf", archive], { cwd: folder });
  await rm(archive);
}
