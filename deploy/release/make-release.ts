import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describeLicences } from "../../scripts/describe-licences.ts";
import { buildImages } from "../images/index.ts";
import { packCharts } from "./charts.ts";
import { buildDemoTools } from "./demo-tools.ts";
import { releaseErrors } from "./errors.ts";
import { writeNotes } from "./notes.ts";
import type { Part } from "./options.ts";
import { packPackages } from "./packages.ts";
import {
  type Bundle,
  buildSingleFile,
  bundleCommand,
  type PlatformName,
  type SingleFile,
} from "./single-file/index.ts";
import { writeSums } from "./sums.ts";
import { checkVersions } from "./versions.ts";

export interface Release {
  readonly version: string;
  readonly outDir: string;
}

/** Makes the files of a release from the last build. The same checkout gives the same bytes. */
export async function makeRelease(options: {
  readonly outDir: string;
  readonly parts: readonly Part[];
  readonly platforms: readonly PlatformName[];
  readonly onProgress: (line: string) => void;
}): Promise<Release> {
  const { outDir, parts, platforms, onProgress } = options;
  const version = checkVersions();
  await rm(outDir, { recursive: true, force: true });
  await mkdir(outDir, { recursive: true });

  const commands: Commands = { singleFiles: [], omissions: [] };
  for (const part of parts) {
    onProgress(`making ${part}`);
    switch (part) {
      case "packages":
        await packPackages(outDir);
        break;
      case "images":
        await buildImages({ outDir: join(outDir, "images"), onProgress });
        break;
      case "charts":
        await packCharts(join(outDir, "charts"));
        break;
      case "commands":
        await makeCommands({ version, outDir, platforms, onProgress, commands });
        break;
      case "demo-tools":
        await buildDemoTools(outDir);
        break;
    }
  }
  await writeFile(join(outDir, "NOTES.md"), writeNotes({ version, ...commands }));
  await writeSums(outDir);
  return { version, outDir };
}

interface Commands {
  readonly singleFiles: SingleFile[];
  readonly omissions: string[];
}

async function makeCommands(options: {
  readonly version: string;
  readonly outDir: string;
  readonly platforms: readonly PlatformName[];
  readonly onProgress: (line: string) => void;
  readonly commands: Commands;
}): Promise<void> {
  const { version, outDir, platforms, onProgress, commands } = options;
  const bundle = await bundleCommand(version);
  for (const platform of platforms) {
    try {
      commands.singleFiles.push(await buildSingleFile({ platform, code: bundle.code, outDir }));
    } catch (error) {
      if (!releaseErrors.is(error, "RELEASE_PLATFORM_MISSING")) throw error;
      const omission = `${platform}: left out. ${error.message} ${error.hint}`;
      commands.omissions.push(omission);
      onProgress(omission);
    }
  }
  if (commands.singleFiles.length > 0) {
    await writeFile(join(outDir, "fairlead-licences.txt"), licences(bundle, commands.singleFiles));
  }
}

/** Gives the licences of everything in the single files that isn't ours. */
function licences(bundle: Bundle, files: readonly SingleFile[]): string {
  const nodes = new Map(files.map(({ nodeVersion, nodeLicence }) => [nodeVersion, nodeLicence]));
  const ofNodes = [...nodes].map(([version, text]) => `Node ${version}\n\n${text}`);
  return [describeLicences(bundle.packageFolders), ...ofNodes].join(`\n${"-".repeat(80)}\n\n`);
}
