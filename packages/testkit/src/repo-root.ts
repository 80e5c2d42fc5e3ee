import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The folder of this checkout: the nearest one above that holds `tools/`. */
export const repoRoot: string = findRoot(import.meta.dirname);

function findRoot(start: string): string {
  for (let folder = start; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, "tools", "kubernetes", "go.mod"))) return folder;
  }
  throw new Error(`no tools/kubernetes/go.mod above ${start}: testkit only works inside the repository`);
}
