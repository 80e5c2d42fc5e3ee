// Sources of other versions of the programs, to be run beside those of now.
import { cp, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { repoRoot } from "@fairlead/testkit";

/** Today's hub with more migrations, in a new folder. */
export async function addMigrations(
  root: string,
  migrations: readonly { readonly name: string; readonly text: string }[],
): Promise<string> {
  const hub = join(root, "packages", "hub");
  await mkdir(hub, { recursive: true });
  for (const name of ["package.json", "src"]) {
    await cp(join(repoRoot, "packages", "hub", name), join(hub, name), { recursive: true });
  }
  for (const { name, text } of migrations) {
    await writeFile(join(hub, "src", "platform", "store", "migrations", name), text);
  }
  await linkModules(root);
  return root;
}

/** Links all that npm has installed, except the packages that are in these sources themselves. */
async function linkModules(root: string): Promise<void> {
  const [from, to] = [join(repoRoot, "node_modules"), join(root, "node_modules")];
  await mkdir(join(to, "@fairlead"), { recursive: true });
  for (const name of await readdir(from)) {
    if (name !== "@fairlead" && !name.startsWith(".")) await symlink(join(from, name), join(to, name));
  }
  const own = await readdir(join(root, "packages"));
  for (const name of await readdir(join(from, "@fairlead"))) {
    const target = own.includes(name) ? join(root, "packages", name) : join(from, "@fairlead", name);
    await symlink(target, join(to, "@fairlead", name));
  }
}
