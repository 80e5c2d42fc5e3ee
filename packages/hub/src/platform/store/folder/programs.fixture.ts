// PostgreSQL's programs as an image or a distribution has them: in a folder where they run as they are.
import { cp, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { findBinaries } from "../postgres/index.ts";

/** The folder `native` of the package that the hub runs. */
export async function findNative(linksFolder: string): Promise<string> {
  const [found] = await findBinaries({ linksFolder, path: "" });
  if (found === undefined) throw new Error("the package with PostgreSQL isn't installed");
  return join(found.binDir, "..");
}

/** The copy has the links that npm leaves out. Gives the folder with `postgres` in it. */
export async function copyPrograms(native: string, folder: string): Promise<string> {
  await cp(native, folder, { recursive: true });
  const text = await readFile(join(native, "pg-symlinks.json"), "utf8");
  for (const link of JSON.parse(text) as readonly { readonly source: string; readonly target: string }[]) {
    const [from = "", to = ""] = [link.source, link.target].map((path) => path.replace(/^native/, folder));
    await symlink(from, to).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  }
  return join(folder, "bin");
}
