import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findBinaries } from "./binaries.ts";

let folder: string;
let linksFolder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-binaries-"));
  linksFolder = join(folder, "links");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("PostgreSQL's programs", () => {
  it("are refused with a reason for each folder when none fits", async () => {
    const old = await makePrograms("old", "postgres (PostgreSQL) 12.1");
    const other = await makePrograms("other", "something else");
    const none = join(folder, "none");
    await expect(findBinaries({ binDirs: [old, other, none], linksFolder })).rejects.toMatchObject({
      code: "STORE_POSTGRES_MISSING",
      message: [
        `The hub found no PostgreSQL to run: ${join(old, "postgres")} is PostgreSQL 12.1`,
        `${join(other, "postgres")} isn't PostgreSQL`,
        `${join(none, "postgres")} can't be run (ENOENT).`,
      ].join("; "),
    });
  });

  it("on PATH are passed over when they are of another version", async () => {
    const old = await makePrograms("old", "postgres (PostgreSQL) 12.1 (Debian 12.1-1)");
    const fit = await makePrograms("fit", "postgres (PostgreSQL) 17.10 (Debian 17.10-1)");
    const link = join(folder, "link");
    await mkdir(link);
    await symlink(join(fit, "postgres"), join(link, "postgres"));
    const [first, ...others] = await findBinaries({ path: [old, link, fit].join(delimiter), linksFolder });
    expect(first).toMatchObject({ binDir: fit, major: 17, version: "17.10", template: undefined });
    expect(others.some(({ binDir }) => binDir === fit || binDir === old)).toBe(false);
  });

  it("that settings name are the only ones, in that order", async () => {
    const newer = await makePrograms("newer", "postgres (PostgreSQL) 18.4");
    const older = await makePrograms("older", "postgres (PostgreSQL) 17.10");
    await mkdir(join(newer, "..", "template"));
    const found = await findBinaries({ binDirs: [newer, older], path: "/usr/bin", linksFolder });
    expect(found).toMatchObject([
      { major: 18, template: join(newer, "..", "template") },
      { major: 17, template: undefined },
    ]);
  });
});

async function makePrograms(name: string, version: string): Promise<string> {
  const binDir = join(folder, name, "bin");
  await mkdir(binDir, { recursive: true });
  await writeFile(join(binDir, "postgres"), `#!/bin/sh\necho '${version}'\n`);
  await chmod(join(binDir, "postgres"), 0o755);
  return binDir;
}
