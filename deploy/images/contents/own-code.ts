// Our compiled code. The sources say which files there are, so that leftovers of earlier builds in dist stay out.
import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { exists, root } from "../cache.ts";
import { imageErrors } from "../errors.ts";
import { appFolder } from "../recipes.ts";
import type { LockedPackage } from "../sources/locked-packages.ts";
import type { TreeEntry } from "./tree.ts";

export async function ownCodeTree(packages: readonly LockedPackage[]): Promise<TreeEntry[]> {
  const ours = packages.filter(({ isOurs }) => isOurs);
  const trees = await Promise.all(ours.map(packageTree));
  return [...trees.flat(), copy(join(root, "LICENSE"), "usr/share/doc/fairlead/LICENSE")];
}

async function packageTree({ name, location }: LockedPackage): Promise<TreeEntry[]> {
  const folder = join(root, location);
  const target = `${appFolder}/node_modules/${name}`;
  const sources = globSync("src/**/*.{ts,js,sql}", { cwd: folder }).filter((path) => !isLeftOut(path));
  const files = await Promise.all(
    sources.map(async (source) => {
      // A build only copies files that aren't compiled.
      const path = source.replace(/^src\//, "dist/").replace(/\.ts$/, ".js");
      const from = join(folder, source.endsWith(".ts") ? path : source);
      if (!(await exists(from))) throw imageErrors.IMAGE_NOT_BUILT({ path: `${location}/${path}` });
      return copy(from, `${target}/${path}`);
    }),
  );
  return [copy(join(folder, "package.json"), `${target}/package.json`), ...files];
}

function isLeftOut(path: string): boolean {
  return /\.(?:test|fixture|d)\.ts$/.test(path);
}

function copy(from: string, path: string): TreeEntry {
  return { kind: "file", path, isExecutable: false, read: () => readFile(from) };
}
