// Puts the built `fairlead` with all that it imports into a few files. kubectl starts it at every call, and finding and
// linking hundreds of modules takes Node several times as long as running what is in them. The same sources give the
// same files.
import { readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { describeLicences, packageFoldersOf } from "./describe-licences.ts";

const root = join(import.meta.dirname, "..");
const packageFolder = join(root, "packages", "cli");
const dir = join(packageFolder, "dist", "bundle");
const { version } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")) as { version: string };

/** The version stands in a file beside the sources. */
const nameVersion = {
  name: "fairlead-version",
  load: {
    filter: { id: /\/packages\/cli\/src\/version\.ts$/ },
    handler: () => `export const clientVersion = ${JSON.stringify(version)};`,
  },
};

await rm(dir, { recursive: true, force: true });
await using build = await rolldown({
  input: { start: join(packageFolder, "src", "start.ts") },
  // Comments name each module from here on, wherever the build is made.
  cwd: root,
  platform: "node",
  // "import" or "require" is added where it holds.
  resolve: { conditionNames: ["@fairlead/source", "node"] },
  // Native helpers that ws does without.
  external: ["bufferutil", "utf-8-validate"],
  plugins: [nameVersion],
  logLevel: "silent",
});
const { output } = await build.write({
  dir,
  // Loaded at once, one file after the other; modules of the other kind take Node's thread several turns each.
  format: "cjs",
  entryFileNames: "[name].cjs",
  chunkFileNames: "[name].cjs",
  comments: { legal: true, annotation: false, jsdoc: false },
  codeSplitting: {
    groups: [
      { name: "start", test: /\/cli\/src\/(start|credential\/index)\.ts$/, priority: 2 },
      { name: "commands", test: /\/cli\/src\/run-cli\.ts$/, priority: 1 },
    ],
  },
});
const moduleIds = output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
await writeFile(join(dir, "LICENSES"), describeLicences(packageFoldersOf(moduleIds)));
