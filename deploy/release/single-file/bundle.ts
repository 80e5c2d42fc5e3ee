import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repoRoot } from "@fairlead/testkit";
import { rolldown } from "rolldown";

export interface Bundle {
  /** A single CommonJS script, which needs nothing but Node's own modules. */
  readonly code: string;
  /** Folders of the packages whose code is in it. */
  readonly packageFolders: readonly string[];
}

/** The fairlead command with all that it imports. The same sources give the same script. */
export async function bundleCommand(version: string): Promise<Bundle> {
  await using build = await rolldown({
    input: join(import.meta.dirname, "entry.ts"),
    // Comments name each module from here on, wherever the release is made.
    cwd: repoRoot,
    platform: "node",
    resolve: { conditionNames: ["@fairlead/source", "node", "import", "default"] },
    // Native helpers that ws does without.
    external: ["bufferutil", "utf-8-validate"],
    plugins: [nameVersion(version)],
    logLevel: "silent",
  });
  const { output } = await build.generate({
    format: "cjs",
    codeSplitting: false,
    minify: false,
    sourcemap: false,
    comments: { legal: true, annotation: false, jsdoc: false },
  });
  const [chunk, ...others] = output;
  if (others.length > 0) throw new Error(`The bundle has further files: ${others.map(({ fileName }) => fileName)}`);
  return { code: chunk.code, packageFolders: packageFoldersOf(chunk.moduleIds) };
}

/** The version is in a file beside the sources, and there is no such file beside the program. */
function nameVersion(version: string) {
  const file = /\/packages\/cli\/src\/version\.ts$/;
  return {
    name: "fairlead-version",
    load: {
      filter: { id: file },
      handler: () => `export const clientVersion = ${JSON.stringify(version)};`,
    },
  };
}

function packageFoldersOf(moduleIds: readonly string[]): string[] {
  const folders = moduleIds.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id)?.[0] ?? []);
  return [...new Set(folders)].sort();
}

/** Names, versions and licences of what is in the file beside our own code, as these licences ask for. */
export function describeLicences(packageFolders: readonly string[]): string {
  return packageFolders
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      return `${name} ${version} (${license})\n\n${readLicence(folder)}`;
    })
    .join(`\n${"-".repeat(80)}\n\n`);
}

function readLicence(folder: string): string {
  for (const name of ["LICENSE", "LICENSE.md", "LICENSE.txt", "license"]) {
    try {
      return readFileSync(join(folder, name), "utf8");
    } catch {
      // The licence may have another name.
    }
  }
  return "";
}
