// The npm packages of a program, as npm has installed them, and only what Node can load of them or the law asks for.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { exists, root } from "../cache.ts";
import { imageErrors } from "../errors.ts";
import { appFolder } from "../recipes.ts";
import type { LockedPackage } from "../sources/locked-packages.ts";
import { fetchNpmArchive } from "../sources/npm-archive.ts";
import { readNpmArchive } from "../sources/read-archive.ts";
import { orderTree, type TreeEntry } from "./tree.ts";

export async function packagesTree(packages: readonly LockedPackage[]): Promise<TreeEntry[]> {
  const trees = await Promise.all(packages.filter(({ isOurs }) => !isOurs).map(packageTree));
  return orderTree(trees.flat());
}

async function packageTree(one: LockedPackage): Promise<TreeEntry[]> {
  const files = await readPackage(one);
  const target = `${appFolder}/${placeOf(one.location)}`;
  return files
    .filter(({ path }) => isLoaded(path))
    .map(({ path, read }) => ({ kind: "file", path: `${target}/${path}`, isExecutable: isProgram(path), read }));
}

interface PackageFile {
  readonly path: string;
  readonly read: () => Promise<Buffer>;
}

/** Reads the place where npm installed it. Packages for another kind of machine aren't there. */
async function readPackage({ name, version, location, integrity }: LockedPackage): Promise<PackageFile[]> {
  const folder = join(root, location);
  if (await exists(folder)) {
    const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as { version?: string };
    if (manifest.version !== version) throw imageErrors.IMAGE_NOT_BUILT({ path: location });
    return (await listFiles(folder)).map((path) => ({ path, read: () => readFile(join(folder, path)) }));
  }
  if (integrity === undefined)
    throw imageErrors.IMAGE_PACKAGE_CORRUPT({
      wanted: `${name} ${version}, which has no integrity in package-lock.json,`,
    });
  const files = await readNpmArchive(await fetchNpmArchive({ name, version, integrity }), () => true);
  return files.map(({ path, content }) => ({ path: path.replace(/^[^/]+\//, ""), read: async () => content }));
}

/** A package of ours is below node_modules in an image: what lies in its own node_modules goes with it. */
function placeOf(location: string): string {
  return location.replace(/^packages\/([^/]+)\//, "node_modules/@fairlead/$1/");
}

async function listFiles(folder: string, below = ""): Promise<string[]> {
  const entries = await readdir(join(folder, below), { withFileTypes: true });
  const lists = entries.map(async (entry) => {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : listFiles(folder, path);
    return entry.isFile() ? [path] : [];
  });
  return (await Promise.all(lists)).flat();
}

/** Node strips no types below node_modules, so TypeScript there is documentation. */
function isLoaded(path: string): boolean {
  const isAside = /^(?:\.github|test|tests|bench|benchmark|benchmarks|example|examples|docs|coverage)\//.test(path);
  return (
    !isAside &&
    !/\.(?:[cm]?ts|tsx|map|md|markdown|tsbuildinfo|flow)$/i.test(path) &&
    !/\.test\.[cm]?js$/.test(path) &&
    !/(^|\/)\.[^/]*$/.test(path)
  );
}

/** Programs are known by their place, since npm gives the same files other modes from machine to machine. */
function isProgram(path: string): boolean {
  return /(^|\/)bin\/[^/.]+$/.test(path);
}
