import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findRunner } from "./find-runner.ts";

const machine = `${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`;
let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-runner-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("takes the package's own for this machine, whatever is on the PATH", async () => {
  const own = await install(join(folder, "programs", machine));
  await install(join(folder, "bin"));
  expect(await findRunner({ path: join(folder, "bin"), programs: join(folder, "programs") })).toBe(own);
});

test("takes the one on the PATH where the package has none that this machine can run", async () => {
  await install(join(folder, "programs", "linux-other"));
  await chmod(await install(join(folder, "programs", machine)), 0o644);
  const onPath = await install(join(folder, "bin"));
  expect(await findRunner({ path: join(folder, "bin"), programs: join(folder, "programs") })).toBe(onPath);
});

test("says that there is none", async () => {
  const finding = findRunner({ path: folder, programs: folder });
  await expect(finding).rejects.toMatchObject({ code: "FENCE_MISSING" });
});

async function install(into: string): Promise<string> {
  await mkdir(into, { recursive: true });
  const path = join(into, "fairlead-runner");
  await writeFile(path, "", { mode: 0o755 });
  return path;
}
