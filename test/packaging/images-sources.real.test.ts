// Where the parts of an image come from: what a lock file pins is had byte by byte, or not at all. Debian's part is a
// repository of our own here, which can move on and lie; apt is the real one.
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fetchDebianPackages, newestDebianPackages } from "../../deploy/images/sources/debian-packages.ts";
import { fetchNpmArchive } from "../../deploy/images/sources/npm-archive.ts";

const shared = process.env["FAIRLEAD_CACHE_DIR"];
const [name, arch] = ["fairlead-probe", "arm64"] as const;
let folder: string;

// A cache of its own: what an earlier test has fetched would answer in the sources' place.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-sources-"));
  process.env["FAIRLEAD_CACHE_DIR"] = join(folder, "cache");
});
afterAll(async () => {
  if (shared === undefined) delete process.env["FAIRLEAD_CACHE_DIR"];
  else process.env["FAIRLEAD_CACHE_DIR"] = shared;
  await rm(folder, { recursive: true, force: true });
});

test("a package of Debian is the locked one, a newer one only on request, and never another of its name", async () => {
  const aptSources = await makeRepository("honest");
  const [newest] = await newestDebianPackages({ arch, names: [name], aptSources });
  if (newest === undefined) throw new Error(`${name} is nowhere`);
  expect(newest).toMatchObject({ name, version: "2.0" });
  const gone = { ...newest, version: "1.0", sha256: "0".repeat(64) };
  const other = { ...newest, sha256: "0".repeat(64) };
  await expect(fetchDebianPackages({ arch, aptSources, locked: [gone] })).rejects.toMatchObject({
    code: "IMAGE_PACKAGE_GONE",
    message: expect.stringContaining("fairlead-probe 1.0 for arm64 (now 2.0)"),
  });
  const forged = fetchDebianPackages({ arch, aptSources, locked: [other], allowNewer: true });
  await expect(forged).rejects.toMatchObject({ code: "IMAGE_PACKAGE_CORRUPT" });
  const [newer] = await fetchDebianPackages({ arch, aptSources, locked: [gone], allowNewer: true });
  expect(newer).toMatchObject({ ...newest, arch });
  expect(digestOf(await readFile(newer?.file ?? ""))).toBe(newest.sha256);
  // Once it is here, the sources aren't asked.
  const again = await fetchDebianPackages({ arch, aptSources: join(folder, "none"), locked: [newest] });
  expect(again).toEqual([newer]);
});

test("sources that are away, know no such package, or give something else than they say are told apart", async () => {
  const ask = async (aptSources: string, names = [name as string]) => newestDebianPackages({ arch, names, aptSources });
  const away = join(folder, "away.list");
  await writeFile(away, `deb [trusted=yes] file:${join(folder, "nowhere")} ./\n`);
  await expect(ask(away)).rejects.toMatchObject({ code: "IMAGE_PACKAGES_UNAVAILABLE" });
  const honest = await makeRepository("second");
  await expect(ask(honest, ["no-such-package"])).rejects.toMatchObject({ code: "IMAGE_PACKAGE_GONE" });
  const lying = await makeRepository("lying", { sha256: "1".repeat(64) });
  const fetched = fetchDebianPackages({ arch, aptSources: lying, locked: await ask(lying) });
  await expect(fetched).rejects.toMatchObject({ code: "IMAGE_PACKAGES_UNAVAILABLE" });
});

test("an npm package with another integrity than the pinned one is refused", async () => {
  const wanted = { name: "ws", version: "8.23.0", integrity: `sha512-${"a".repeat(86)}==` };
  await expect(fetchNpmArchive(wanted)).rejects.toMatchObject({ code: "IMAGE_PACKAGE_CORRUPT" });
  await expect(fetchNpmArchive({ ...wanted, version: "0.0.999" })).rejects.toMatchObject({
    code: "IMAGE_PACKAGES_UNAVAILABLE",
  });
});

/** Makes a repository of one package. Returns a list of sources that names it. */
async function makeRepository(title: string, lies: { sha256?: string } = {}): Promise<string> {
  const repository = join(folder, title);
  const control = join(repository, "package", "DEBIAN");
  await mkdir(control, { recursive: true });
  const fields = `Package: ${name}\nVersion: 2.0\nArchitecture: ${arch}\nMaintainer: nobody\nDescription: ${title}\n`;
  await writeFile(join(control, "control"), fields);
  const deb = join(repository, "probe.deb");
  await runCommand("dpkg-deb", ["--build", join(repository, "package"), deb], {
    env: { PATH: process.env["PATH"] ?? "" },
  });
  const content = await readFile(deb);
  const { sha256 = digestOf(content) } = lies;
  const where = `Filename: ./probe.deb\nSize: ${content.length}\nSHA256: ${sha256}\n`;
  await writeFile(join(repository, "Packages"), `${fields}${where}\n`);
  const sources = join(folder, `${title}.list`);
  await writeFile(sources, `deb [trusted=yes] file:${repository} ./\n`);
  return sources;
}

function digestOf(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
