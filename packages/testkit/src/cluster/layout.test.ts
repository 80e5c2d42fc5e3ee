import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { thisProcess } from "../locks/index.ts";
import { createStateDir, egressSocket } from "./layout.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "layout-"));
  vi.stubEnv("FAIRLEAD_CLUSTERS_DIR", root);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(root, { recursive: true });
});

it("removes what killed runs left behind, and nothing that a living process owns", async () => {
  await leave("dead", JSON.stringify({ ...thisProcess, startTime: "1" }));
  await leave("living", JSON.stringify(thisProcess));
  await leave("in-the-making", undefined);
  const stateDir = await createStateDir("east");
  expect((await readdir(root)).map((name) => join(root, name)).sort()).toEqual(
    [join(root, "in-the-making"), join(root, "living"), stateDir].sort(),
  );
});

it("keeps paths short enough for a unix socket, however long the cluster's name", async () => {
  vi.stubEnv("FAIRLEAD_CLUSTERS_DIR", join(root, "clusters"));
  expect(egressSocket(await createStateDir("x".repeat(63))).length - root.length).toBeLessThan(70);
});

async function leave(name: string, owner: string | undefined): Promise<void> {
  await mkdir(join(root, name));
  if (owner !== undefined) await writeFile(join(root, name, "owner.json"), owner);
}
