import { execFile } from "node:child_process";
import { chmod, copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ensureNpmPackage } from "@fairlead/testkit";
import { releaseErrors } from "../errors.ts";
import { fuseName, fuseOf, readBlob, resourceName } from "./inspect.ts";
import { findPlatform, type Platform, type PlatformName, preparingNode } from "./platforms.ts";

const blobName = "fairlead.blob";
const run = promisify(execFile);

export interface SingleFile {
  readonly platform: PlatformName;
  readonly file: string;
  readonly nodeVersion: string;
  /** Node's own licence, and those of what is built into it. */
  readonly nodeLicence: string;
}

/** Makes `fairlead` for one platform: its Node with the bundled command in it. The same inputs give the same bytes. */
export async function buildSingleFile(options: {
  readonly platform: PlatformName;
  /** The output of `bundleCommand`. */
  readonly code: string;
  readonly outDir: string;
}): Promise<SingleFile> {
  const platform = findPlatform(options.platform);
  const nodeFolder = await ensureNpmPackage(platform.node);
  await mkdir(options.outDir, { recursive: true });
  const scratch = await mkdtemp(join(options.outDir, ".single-file-"));
  try {
    const blob = await prepareBlob(platform, options.code, scratch);
    const draft = join(scratch, "fairlead");
    await copyFile(join(nodeFolder, platform.nodePath), draft);
    await chmod(draft, 0o755);
    await inject(scratch, draft, blobName);
    await check(platform, draft, blob);
    const file = join(options.outDir, `fairlead-${platform.name}${platform.format === "pe" ? ".exe" : ""}`);
    await rename(draft, file);
    // Some platforms' packages don't carry it, and it is the same for all of a version.
    const nodeLicence = await readFile(join(await ensureNpmPackage(preparingNode(platform)), "LICENSE"), "utf8");
    return { platform: platform.name, file, nodeVersion: platform.node.version, nodeLicence };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** The script as Node reads it from its own file. No code cache: it would be for one processor only. */
async function prepareBlob(platform: Platform, code: string, folder: string): Promise<Buffer> {
  const node = join(await ensureNpmPackage(preparingNode(platform)), "bin", "node");
  // Names stand in the blob: no folder of this machine is among them.
  const config = { main: "fairlead.cjs", output: blobName, disableExperimentalSEAWarning: true };
  await writeFile(join(folder, config.main), code);
  await writeFile(join(folder, "sea.json"), JSON.stringify({ ...config, useCodeCache: false, useSnapshot: false }));
  await run(node, ["--experimental-sea-config", "sea.json"], { cwd: folder });
  return readFile(join(folder, config.output));
}

/** A process of its own does it: it takes several times the size of Node, and gives nothing back. */
async function inject(folder: string, file: string, blobFile: string): Promise<void> {
  const injector = fileURLToPath(import.meta.resolve("postject/dist/cli.js"));
  const names = ["--sentinel-fuse", fuseName, "--macho-segment-name", "NODE_SEA"];
  await run(process.execPath, [injector, file, resourceName, blobFile, ...names], { cwd: folder });
}

/** A file that can't be run on this machine is at least compared byte for byte. */
async function check({ name, format }: Platform, file: string, blob: Buffer): Promise<void> {
  const program = await readFile(file);
  if (!readBlob(program, format)?.equals(blob))
    throw releaseErrors.RELEASE_SINGLE_FILE_BROKEN({
      platform: name,
      reason: "the script isn't where Node looks for it",
    });
  if (fuseOf(program) !== "1")
    throw releaseErrors.RELEASE_SINGLE_FILE_BROKEN({
      platform: name,
      reason: "Node isn't told to look for the script",
    });
}
