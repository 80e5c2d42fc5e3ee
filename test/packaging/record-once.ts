// What follows from sources that seldom change is found out once for each state of them, and kept in the cache. Without the
// cache, as on a fresh machine, it is found out each time.
import { createHash } from "node:crypto";
import { globSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { repoRoot } from "@fairlead/testkit";
import { cachePath, makeFileOnce } from "../../deploy/images/cache.ts";

/** The record of this name for the builder of images as it is now, and for `inputs`. It must survive JSON. */
export async function recordOnce<Found>(options: {
  readonly name: string;
  /** What it depends on beside the builder's sources and lock file, the locked npm packages and Node. */
  readonly inputs: readonly string[];
  readonly find: () => Promise<Found>;
}): Promise<Found> {
  const { name, inputs, find } = options;
  const key = createHash("sha256").update(JSON.stringify([process.versions, process.arch, ...inputs]));
  for (const path of [...builderFiles(), "package-lock.json"])
    key.update(`\n${path}\n`).update(await readFile(join(repoRoot, path)));
  const record = cachePath("records", `${name}-${key.digest("hex").slice(0, 32)}.json`);
  const file = await makeFileOnce(record, async (draft) => writeFile(draft, JSON.stringify(await find())));
  return JSON.parse(await readFile(file, "utf8")) as Found;
}

function builderFiles(): readonly string[] {
  const found = globSync("deploy/images/**/*.*", { cwd: repoRoot });
  return found.filter((path) => !path.endsWith(".test.ts")).sort();
}
