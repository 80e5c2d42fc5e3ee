import { globSync, readFileSync } from "node:fs";
import { chmod, copyFile, cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { repoRoot } from "@fairlead/testkit";
import { type Arch, arches } from "../images/platform.ts";
import { fetchGoPrograms } from "../images/sources/go-programs.ts";
import { run } from "./run.ts";

/**
 * Makes an archive of each package that isn't private, from the last build. The agent's has the runner for each architecture
 * of Linux; both unless told. Returns their paths.
 */
export async function packPackages(outDir: string, runners: readonly Arch[] = arches): Promise<string[]> {
  const folders = globSync("packages/*", { cwd: repoRoot }).sort();
  const published = folders.filter((folder) => !readManifest(folder).private && folder !== agentFolder);
  const others = await pack(
    outDir,
    repoRoot,
    published.flatMap((folder) => ["--workspace", folder]),
  );
  const scratch = await mkdtemp(join(outDir, ".agent-"));
  try {
    await copyAgent(scratch, runners);
    return [...others, ...(await pack(outDir, scratch, []))];
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function pack(outDir: string, cwd: string, args: readonly string[]): Promise<string[]> {
  const output = await run("npm", ["pack", "--json", "--pack-destination", outDir, "--loglevel=error", ...args], {
    cwd,
  });
  const packed = Object.values(JSON.parse(output) as Record<string, { filename: string }>);
  return packed.map(({ filename }) => join(outDir, filename.replace(/^@/, "").replace("/", "-")));
}

/** The checkout stays as it is: an agent that runs in it would find the runner, too. */
async function copyAgent(target: string, runners: readonly Arch[]): Promise<void> {
  const source = join(repoRoot, agentFolder);
  for (const name of ["package.json", "dist"]) await cp(join(source, name), join(target, name), { recursive: true });
  const { version } = readManifest(agentFolder);
  for (const arch of runners) {
    for (const { name, path, licences } of await fetchGoPrograms(["fairlead-runner"], { arch, version })) {
      const place = join(target, "programs", `linux-${arch}`);
      await mkdir(place, { recursive: true });
      await copyFile(path, join(place, name));
      await chmod(join(place, name), 0o755);
      await writeFile(join(target, "programs", "LICENSES"), licences);
    }
  }
}

const agentFolder = join("packages", "agent");

function readManifest(folder: string): { private?: boolean; version: string } {
  return JSON.parse(readFileSync(join(repoRoot, folder, "package.json"), "utf8"));
}
