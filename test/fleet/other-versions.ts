// Other versions of the programs, to be run beside those of now.
import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { programsVariable, repoRoot } from "@fairlead/testkit";

/** Today's hub with more migrations, in a new folder. It is what the run bundled, with another place for migrations. */
export async function addMigrations(
  folder: string,
  migrations: readonly { readonly name: string; readonly text: string }[],
): Promise<string> {
  const bundled = process.env[programsVariable];
  if (bundled === undefined) throw new Error("this run has bundled no programs");
  const store = join(repoRoot, "packages", "hub", "src", "platform", "store");
  await mkdir(folder, { recursive: true });
  await cp(join(store, "migrations"), join(folder, "migrations"), { recursive: true });
  for (const { name, text } of migrations) await writeFile(join(folder, "migrations", name), text);
  // Migrations lie beside the module that reads them.
  const [now, then] = [store, folder].map((place) => pathToFileURL(join(place, "migrations.ts")).href);
  let replaced = 0;
  for (const name of await readdir(bundled)) {
    const text = await readFile(join(bundled, name), "utf8");
    const parts = text.split(JSON.stringify(now));
    replaced += parts.length - 1;
    await writeFile(join(folder, name), parts.join(JSON.stringify(then)));
  }
  if (replaced === 0) throw new Error("the bundle reads its migrations from somewhere else");
  return folder;
}
