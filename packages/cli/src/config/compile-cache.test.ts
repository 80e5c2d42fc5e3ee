import { chmod, mkdir, mkdtempDisposable, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { preparePrivateFolder } from "./compile-cache.ts";

const makeHome = () => mkdtempDisposable(join(tmpdir(), "fairlead-cache-"));

test("the folder of compiled modules is made for its owner alone", async () => {
  await using home = await makeHome();
  const folder = join(home.path, ".cache", "fairlead", "compiled");

  expect(preparePrivateFolder(join(home.path, ".cache", "fairlead"))).toBe(folder);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect(preparePrivateFolder(join(home.path, ".cache", "fairlead"))).toBe(folder);
});

test.each([0o770, 0o707, 0o755])("a folder that others may look into or write to (%i) isn't used", async (mode) => {
  await using home = await makeHome();
  const [cache, compiled] = [join(home.path, "cache"), join(home.path, "other", "compiled")];
  await mkdir(cache);
  await chmod(cache, mode);
  await mkdir(compiled, { recursive: true });
  await chmod(join(home.path, "other"), 0o700);
  await chmod(compiled, mode);

  expect(preparePrivateFolder(cache)).toBeUndefined();
  expect(preparePrivateFolder(join(home.path, "other"))).toBeUndefined();
});

test("neither a link to a folder, nor a file, nor a path from the working folder is used", async () => {
  await using home = await makeHome();
  await mkdir(join(home.path, "elsewhere"), { mode: 0o700 });
  await symlink(join(home.path, "elsewhere"), join(home.path, "link"));
  await writeFile(join(home.path, "file"), "");

  for (const folder of [join(home.path, "link"), join(home.path, "file"), "cache"])
    expect(preparePrivateFolder(folder)).toBeUndefined();
});

test("a home that can't be written to is no failure", () => {
  expect(preparePrivateFolder("/proc/fairlead")).toBeUndefined();
});
