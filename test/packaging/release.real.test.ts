import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ensureTools, repoRoot } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkVersions, makeRelease, packCharts } from "../../deploy/release/index.ts";

let folder: string;
let outDir: string;
const charts = ["fairlead-agent", "fairlead-hub"];
const version = checkVersions();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-release-"));
  outDir = join(folder, "release");
  await makeRelease({ outDir, parts: ["charts", "demo-tools"], platforms: [], onProgress: () => {} });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test.each([
  ["package.json", `"version": "${version}"`, '"version": "9.9.9"'],
  ["packages/hub/package.json", `"@fairlead/kube": "${version}"`, '"@fairlead/kube": "9.9.9"'],
  ["package-lock.json", `"version": "${version}"`, '"version": "9.9.9"'],
  ["charts/fairlead-hub/Chart.yaml", `appVersion: ${version}`, "appVersion: 9.9.9"],
  ["charts/fairlead-agent/Chart.yaml", `\nversion: ${version}`, "\nversion: 9.9.9"],
  ["docs/CHANGELOG.md", `## ${version}`, "## 9.9.9"],
])("a version in %s that differs from the others is found and named", async (path, from, to) => {
  const copy = await mkdtemp(join(folder, "checkout-"));
  const packages = ["agent", "cli", "contract", "doctor", "hub", "kernel", "kube", "protocol", "testkit"];
  const places = [
    "package.json",
    "package-lock.json",
    "docs/CHANGELOG.md",
    ...packages.map((name) => `packages/${name}/package.json`),
    ...charts.map((name) => `charts/${name}/Chart.yaml`),
  ];
  for (const place of places) {
    await mkdir(dirname(join(copy, place)), { recursive: true });
    await cp(join(repoRoot, place), join(copy, place));
  }
  expect(checkVersions(copy)).toBe(version);
  const text = await readFile(join(copy, path), "utf8");
  expect(text).toContain(from);
  await writeFile(join(copy, path), text.replace(from, to));
  expect(() => checkVersions(copy)).toThrow(
    expect.objectContaining({ code: "RELEASE_VERSIONS_DIFFER", message: expect.stringContaining("9.9.9") }),
  );
  expect(() => checkVersions(copy)).toThrow(path);
});

test.each(charts)("Helm reads the archive of %s, and it has no values for tests", async (name) => {
  const { helm } = await ensureTools(["helm"]);
  const archive = join(outDir, "charts", `${name}-${version}.tgz`);
  const values = join(repoRoot, "charts", name, "ci", "minimal-values.yaml");
  expect(run(helm, ["show", "chart", archive])).toContain(`appVersion: ${version}`);
  expect(run(helm, ["template", "made", archive, "--values", values])).toContain(`helm.sh/chart: ${name}-${version}`);
  // Helm itself would have packed this.
  run(helm, ["package", join(repoRoot, "charts", name), "--destination", folder]);
  const listed = (file: string) =>
    run("tar", ["-tzf", file])
      .split("\n")
      .filter((path) => path !== "" && !path.endsWith("/"))
      .sort();
  expect(listed(archive)).toEqual(listed(join(folder, `${name}-${version}.tgz`)));
});

test.each(charts)("the OCI artifact of %s is as Helm pushes it", async (name) => {
  const layout = join(outDir, "charts", `${name}.oci`);
  const blob = async (digest: string) => readFile(join(layout, "blobs", ...digest.split(":")));
  const index = JSON.parse(await readFile(join(layout, "index.json"), "utf8"));
  expect(index.manifests).toMatchObject([{ annotations: { "org.opencontainers.image.ref.name": version } }]);
  const manifest = JSON.parse((await blob(index.manifests[0].digest)).toString());
  expect(manifest).toMatchObject({
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    config: { mediaType: "application/vnd.cncf.helm.config.v1+json" },
    layers: [{ mediaType: "application/vnd.cncf.helm.chart.content.v1.tar+gzip" }],
  });
  expect(JSON.parse((await blob(manifest.config.digest)).toString())).toMatchObject({ name, version });
  expect(await blob(manifest.layers[0].digest)).toEqual(
    await readFile(join(outDir, "charts", `${name}-${version}.tgz`)),
  );
});

test("charts made again are the same, byte for byte", async () => {
  const [first] = await packCharts(join(folder, "again"));
  const name = first?.archive.split("/").at(-1) ?? "";
  expect(await readFile(first?.archive ?? "")).toEqual(await readFile(join(outDir, "charts", name)));
});

test("the demo's programs are static and listed with their sums", async () => {
  const { files } = JSON.parse(await readFile(join(outDir, "demo-tools.json"), "utf8"));
  const names = ["podserver", "leash", "fairlead-runner"].flatMap((name) => [
    `${name}-linux-amd64`,
    `${name}-linux-arm64`,
  ]);
  expect(Object.keys(files)).toEqual(names);
  for (const name of names) {
    const content = await readFile(join(outDir, name));
    expect(files[name].sha256).toBe(createHash("sha256").update(content).digest("hex"));
    const [aarch64, amd64] = [183, 62];
    expect(content.readUInt16LE(18)).toBe(name.endsWith("arm64") ? aarch64 : amd64);
    expect(hasInterpreter(content), name).toBe(false);
  }
});

test("the sums are right and cover every file", async () => {
  const checked = run("sha256sum", ["--check", "--strict", "SHA256SUMS"], outDir).trim().split("\n");
  expect(checked.every((line) => line.endsWith(": OK"))).toBe(true);
  const files = run("find", [".", "-type", "f", "!", "-name", "SHA256SUMS"], outDir).trim().split("\n");
  expect(checked).toHaveLength(files.length);
});

test("the notes have what the changelog says of this version", async () => {
  const notes = await readFile(join(outDir, "NOTES.md"), "utf8");
  expect(notes).toMatch(new RegExp(`^# Fairlead ${version}\n`));
  expect(notes).toContain("`npm install -g`");
});

test("without --dry-run nothing is made and nothing is published", () => {
  const main = join(repoRoot, "deploy", "release", "main.ts");
  const args = ["--conditions=@fairlead/source", main];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toContain("RELEASE_NOT_PUBLISHED");
});

/** A dynamically linked ELF names its loader in a segment of type 3. */
function hasInterpreter(program: Buffer): boolean {
  const tableAt = Number(program.readBigUInt64LE(32));
  const entries = Array.from({ length: program.readUInt16LE(56) }, (_, index) => tableAt + 56 * index);
  return entries.some((entry) => program.readUInt32LE(entry) === 3);
}

function run(command: string, args: readonly string[], cwd: string = folder): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8", timeout: 120_000 });
  expect(status, `${command} ${args.join(" ")}: ${stderr}`).toBe(0);
  return stdout;
}
