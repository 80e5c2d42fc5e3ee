// The program that runs ours: Node, as its npm package carries it.
import { imageErrors } from "../errors.ts";
import type { LockedNpmPackage } from "../lock.ts";
import { nodePath } from "../recipes.ts";
import { fetchNpmArchive } from "../sources/npm-archive.ts";
import { readNpmArchive } from "../sources/read-archive.ts";
import type { TreeEntry } from "./tree.ts";

export async function nodeTree(wanted: LockedNpmPackage): Promise<TreeEntry[]> {
  const archive = await fetchNpmArchive(wanted);
  const files = await readNpmArchive(archive, (path) => path === "package/bin/node" || path === "package/LICENSE");
  const part = (path: string) => {
    const file = files.find((one) => one.path === `package/${path}`);
    if (file === undefined)
      throw imageErrors.IMAGE_PACKAGE_CORRUPT({ wanted: `${wanted.name} ${wanted.version}, without ${path},` });
    return async () => file.content;
  };
  return [
    { kind: "file", path: nodePath, isExecutable: true, read: part("bin/node") },
    { kind: "file", path: "usr/share/doc/node/LICENSE", isExecutable: false, read: part("LICENSE") },
  ];
}
