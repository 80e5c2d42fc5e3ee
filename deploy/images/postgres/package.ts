// Reads an npm package of PostgreSQL and adds the links that npm can't pack.
import { imageErrors } from "../errors.ts";
import type { LockedNpmPackage } from "../lock.ts";
import { fetchNpmArchive } from "../sources/npm-archive.ts";
import { readNpmArchive } from "../sources/read-archive.ts";

/** Files by their path below the package's `native`, those that links lead to under the links' names as well. */
export type PostgresPackage = ReadonlyMap<string, Buffer>;

export async function readPostgresPackage(wanted: LockedNpmPackage): Promise<PostgresPackage> {
  const archive = await fetchNpmArchive(wanted);
  const files = await readNpmArchive(archive, (path) => path.startsWith(top) && !path.endsWith(".a"));
  const byPath = new Map(files.map(({ path, content }) => [path.slice(top.length), content]));
  const links = JSON.parse(partOf(byPath, "pg-symlinks.json", wanted).toString()) as readonly Link[];
  for (const { source, target } of links) {
    byPath.set(target.slice("native/".length), partOf(byPath, source.slice("native/".length), wanted));
  }
  return byPath;
}

export function partOf(files: PostgresPackage, path: string, { name, version }: LockedNpmPackage): Buffer {
  const content = files.get(path);
  if (content === undefined)
    throw imageErrors.IMAGE_PACKAGE_CORRUPT({ wanted: `${name} ${version}, without ${path},` });
  return content;
}

interface Link {
  readonly source: string;
  readonly target: string;
}

const top = "package/native/";
