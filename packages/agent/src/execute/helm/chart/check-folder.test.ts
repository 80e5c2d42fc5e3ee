import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bombOf } from "./archive/tar.fixture.ts";
import { checkFolder } from "./check-folder.ts";

test("a folder with links in it passes, unless they lead in circles", async () => {
  await using place = await open();
  const { folder } = place;
  await symlink("../templates/a.yaml", join(folder, "charts/a.yaml"));
  await symlink("nowhere", join(folder, "nothing"));
  await checkFolder(folder);
  await symlink("../templates", join(folder, "charts/over"));
  await checkFolder(folder);
  await symlink("..", join(folder, "templates/up"));
  await expect(checkFolder(folder)).rejects.toThrow("lead in circles");
});

test("a link to itself is Helm's to report", async () => {
  await using place = await open();
  await symlink("self", join(place.folder, "self"));
  await checkFolder(place.folder);
});

test("links that lead to very many files are told", async () => {
  await using place = await open();
  const { folder } = place;
  // Each level has two links to the next one, so that the number of paths doubles.
  for (let level = 0; level < 12; level++) {
    await mkdir(join(folder, `levels/${level}`), { recursive: true });
    for (const each of ["a", "b"]) await symlink(`../${level + 1}`, join(folder, `levels/${level}/${each}`));
  }
  await mkdir(join(folder, "levels/12"));
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
