import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repoRoot } from "@fairlead/testkit";
import { run } from "./run.ts";

/** Makes an archive of each package that isn't private, from the last build. Returns their paths. */
export async function packPackages(outDir: string): Promise<string[]> {
  const folders = globSync("packages/*", { cwd: repoRoot }).sort();
  const published = folders.filter((folder) => !readManifest(folder).private);
  const args = published.flatMap((folder) => ["--workspace", folder]);
  const output = await run("npm", ["pack", "--json", "--pack-destination", outDir, "--loglevel=error", ...args], {
    cwd: repoRoot,
  });
  const packed = Object.values(JSON.parse(output) as Record<string, { filename: string }>);
  return packed.map(({ filename }) => join(outDir, filename.replace(/^@/, "").replace("/", "-")));
}

function readManifest(folder: string): { private?: boolean } {
  return JSON.parse(readFileSync(join(repoRoot, folder, "package.json"), "utf8"));
}
