// Names, versions and licences of what is in a bundle beside our own code, as these licences ask for.
import { readFileSync } from "node:fs";
import { join } from "node:path";

export function describeLicences(packageFolders: readonly string[]): string {
  return packageFolders
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      return `${name} ${version} (${license})\n\n${readLicence(folder)}`;
    })
    .join(`\n${"-".repeat(80)}\n\n`);
}

/** Folders of the packages that the modules are of. */
export function packageFoldersOf(moduleIds: readonly string[]): string[] {
  const folders = moduleIds.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id)?.[0] ?? []);
  return [...new Set(folders)].sort();
}

function readLicence(folder: string): string {
  for (const name of ["LICENSE", "LICENSE.md", "LICENSE.txt", "license"]) {
    try {
      return readFileSync(join(folder, name), "utf8");
    } catch {
      // The licence may have another name.
    }
  }
  return "";
}
