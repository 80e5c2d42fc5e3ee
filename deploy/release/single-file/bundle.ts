import { join } from "node:path";
import { repoRoot } from "@fairlead/testkit";
import { rolldown } from "rolldown";
import { packageFoldersOf } from "../../../scripts/describe-licences.ts";

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
