import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bombOf } from "./archive/tar.fixture.ts";
import { checkFolder } from "./check-folder.ts";

test("a folder with links in it is fine, unless they lead in circles", async () => {
  await using place = await open();
  const { folder } = place;
  await symlink("../templates/a.yaml", join(folder, "charts/a.yaml"));
  await symlink("nowhere", join(folder, "nothing"));
  await checkFolder(folder);
  await symlink("..", join(folder, "templates/up"));
  await symlink("../templates", join(folder, "charts/over"));
  await expect(checkFolder(folder, { mostLinked: 1_000 })).rejects.toThrow("more than 1000 files");
});

test("an archive in it that unpacks to very much is told", async () => {
  await using place = await open();
  await writeFile(join(place.folder, "charts/bomb.tgz"), bombOf(2));
  await expect(checkFolder(place.folder)).rejects.toThrow("more than 100 MiB");
});

async function open() {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-chart-"));
  for (const each of ["templates", "charts"]) await mkdir(join(folder, each));
  await writeFile(join(folder, "templates/a.yaml"), "a");
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}
