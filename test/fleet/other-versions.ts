// Other versions of programs and charts, to be run beside those of now: those to come are made of now's, and former ones come
// from the repository's history.
import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type ChartName, chartFolder, programsVariable, repoRoot, runCommand } from "@fairlead/testkit";

/** Today's hub with more migrations, in a new folder. It is what the run bundled, with another place for migrations. */
export async function addMigrations(
  folder: string,
  migrations: readonly { readonly name: string; readonly text: string }[],
): Promise<string> {
  const store = join(repoRoot, "packages", "hub", "src", "platform", "store");
  await mkdir(folder, { recursive: true });
  await cp(join(store, "migrations"), join(folder, "migrations"), { recursive: true });
  for (const { name, text } of migrations) await writeFile(join(folder, "migrations", name), text);
  // Migrations lie beside the module that reads them.
  await copyBundle(folder, { module: join(store, "migrations.ts"), place: join(folder, "migrations.ts") });
  return folder;
}

/** Today's programs in a new folder, where the agent says that it is of this version. */
export async function renumberAgent(folder: string, version: string): Promise<string> {
  const source = join(folder, "agent", "src");
  await mkdir(source, { recursive: true });
  await writeFile(join(folder, "agent", "package.json"), JSON.stringify({ version }));
  const module = join(repoRoot, "packages", "agent", "src", "version.ts");
  await copyBundle(folder, { module, place: join(source, "version.ts") });
  return folder;
}

/** Today's chart in a new folder, as one of this version of chart and programs. */
export async function renumberChart(folder: string, chart: ChartName, version: string): Promise<string> {
  await cp(chartFolder(chart), folder, { recursive: true });
  const path = join(folder, "Chart.yaml");
  const text = await readFile(path, "utf8");
  await writeFile(path, text.replaceAll(/^(version|appVersion): .*$/gm, `$1: ${version}`));
  return folder;
}

/** Copies what this run bundled of the programs. One of their modules finds what lies beside it in another place. */
async function copyBundle(
  folder: string,
  { module, place }: { readonly module: string; readonly place: string },
): Promise<void> {
  const bundled = process.env[programsVariable];
  if (bundled === undefined) throw new Error("this run has bundled no programs");
  const [now, then] = [module, place].map((path) => JSON.stringify(pathToFileURL(path).href));
  let replaced = 0;
  for (const name of await readdir(bundled)) {
    const parts = (await readFile(join(bundled, name), "utf8")).split(now ?? "");
    replaced += parts.length - 1;
    await writeFile(join(folder, name), parts.join(then));
  }
  if (replaced === 0) throw new Error(`the bundle has no ${module}`);
}

/** What a commit of this repository's history had: its charts, and programs that run from its sources. */
export interface FormerVersion {
  chart(name: ChartName): string;
  /** A folder as `startProgram` takes one. Processes need `env`, too. */
  readonly programs: string;
  readonly env: Readonly<Record<string, string>>;
}

export async function checkOutFormer(folder: string, commit: string): Promise<FormerVersion> {
  const env = { PATH: process.env["PATH"] ?? "" };
  const archive = join(folder, "former.tar");
  const git = ["-C", repoRoot, "archive", "--output", archive, commit, "charts", "packages"];
  const { code, stderr } = await runCommand("git", git, { env, allowFailure: true });
  if (code !== 0)
    throw new Error(`this clone doesn't have the commit ${commit}, so fetch all of its history: ${stderr}`);
  await runCommand("tar", ["-xf", archive, "-C", folder], { env });
  await linkModules(folder);
  for (const program of ["agent", "hub"])
    await writeFile(join(folder, `${program}.mjs`), `import "./packages/${program}/src/main.ts";\n`);
  return {
    chart: (name) => join(folder, "charts", name),
    programs: folder,
    env: { NODE_OPTIONS: "--conditions=@fairlead/source" },
  };
}

/** Its own packages and now's dependencies. Node runs no TypeScript below a folder `node_modules`, so links it is. */
async function linkModules(folder: string): Promise<void> {
  const [from, to] = [repoRoot, folder].map((root) => join(root, "node_modules")) as [string, string];
  await mkdir(join(to, "@fairlead"), { recursive: true });
  for (const name of await readdir(from)) {
    if (name !== "@fairlead" && !name.startsWith(".")) await symlink(join(from, name), join(to, name));
  }
  for (const name of await readdir(join(folder, "packages"))) {
    await symlink(join(folder, "packages", name), join(to, "@fairlead", name));
  }
}
