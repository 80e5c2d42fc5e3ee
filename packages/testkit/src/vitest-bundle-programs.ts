// Vitest's configuration names this file as `globalSetup`. Programs that tests start are made of a thousand modules, and
// finding and linking them takes Node three times as long as running what is in them. Hence each program is put into a few
// files first, from the same sources, and only when these have changed.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, glob, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { type CodeSplittingGroup, rolldown } from "rolldown";
import { type Program, programsVariable } from "./fairlead/index.ts";
import { repoRoot } from "./repo-root.ts";

export async function setup(): Promise<void> {
  process.env[programsVariable] = await bundlePrograms();
}

/** Resolves to the folder with a script for each program. */
async function bundlePrograms(): Promise<string> {
  const root = join(repoRoot, "node_modules", ".cache", "fairlead", "programs");
  const folder = join(root, await digestSources());
  if (existsSync(folder)) return folder;
  await mkdir(root, { recursive: true });
  await removeOld(root);
  const draft = await mkdtemp(join(root, ".draft-"));
  try {
    await bundle(draft);
    // Some tests run programs as another user.
    await chmod(draft, 0o755);
    // Another run may have been quicker; its files are the same.
    await rename(draft, folder).catch((error) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return folder;
}

/** Those of yesterday; a run that is under way may use younger ones. */
async function removeOld(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    const { mtimeMs } = await stat(join(root, name));
    if (mtimeMs < Date.now() - 24 * 3_600_000) await rm(join(root, name), { recursive: true, force: true });
  }
}

async function bundle(dir: string): Promise<void> {
  await bundleSome(inputOf(["hub", "agent"]), dir);
  // Apart from the others: what all three have in common would lie in files of its own, and each costs a start 0.5 ms.
  await bundleSome(inputOf(["cli"]), dir, [
    { name: "cli-start", test: /\/cli\/src\/(start|credential\/index)\.ts$/, priority: 2 },
    { name: "cli-commands", test: /\/cli\/src\/run-cli\.ts$/, priority: 1 },
  ]);
  const scripts = testScripts.map((script) => [basename(script, ".ts"), join(repoRoot, "packages", script)]);
  await bundleSome(Object.fromEntries(scripts), dir);
}

/** Those that tests start often, each as a process of its own. */
const testScripts = [
  "hub/src/platform/leases/hold-lease.fixture.ts",
  "hub/src/platform/store/folder/hold-store.fixture.ts",
  "hub/src/work/graph-runs/rollouts/advance-rollouts.fixture.ts",
  "hub/src/work/graph-runs/stacks/advance-stacks.fixture.ts",
];

function inputOf(names: readonly Program[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, join(repoRoot, "packages", name, "src", "main.ts")]));
}

/** A group is a file for modules and all that they import at once. */
async function bundleSome(
  input: Record<string, string>,
  dir: string,
  groups: CodeSplittingGroup[] = [],
): Promise<void> {
  await using build = await rolldown({
    input,
    cwd: repoRoot,
    platform: "node",
    // "import" or "require" is added where it holds.
    resolve: { conditionNames: ["@fairlead/source", "node"] },
    // Native helpers that ws does without.
    external: ["bufferutil", "utf-8-validate"],
    plugins: [keepPlaces],
    logLevel: "silent",
  });
  // Modules of the old kind ask for Node's own by `require`.
  const banner = `import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);`;
  await build.write({
    dir,
    format: "esm",
    entryFileNames: "[name].mjs",
    chunkFileNames: "[name]-[hash].mjs",
    banner,
    codeSplitting: { groups },
  });
}

/** Sources read files that lie beside them. */
const keepPlaces = {
  name: "fairlead-places",
  transform: {
    filter: { id: /\/packages\/[^/]+\/src\/.*\.ts$/, code: /import\.meta\.url/ },
    handler: (code: string, id: string) => code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href)),
  },
};

async function digestSources(): Promise<string> {
  const files: string[] = [];
  for await (const file of glob(sources, { cwd: repoRoot })) files.push(file);
  const hash = createHash("sha256");
  for (const file of files.sort()) hash.update(`${file}\0`).update(await readFile(join(repoRoot, file)));
  return hash.digest("hex").slice(0, 16);
}

const sources = [
  "package-lock.json",
  "packages/testkit/src/vitest-bundle-programs.ts",
  "packages/{kernel,protocol,contract,kube,doctor,hub,agent,cli}/{package.json,src/**/*.ts}",
];
