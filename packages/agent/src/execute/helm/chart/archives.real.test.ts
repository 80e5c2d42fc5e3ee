// Archives that a hostile repository gives out, and trees of git: each ends in a code, takes little, and leaves nothing
// behind.
import { chmod, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTestRepository, startGitHttp, type TestTree } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Fence } from "../../../processes/index.ts";
import { openTestFence } from "../../fence.fixture.ts";
import { chart, configMap, type Harness, openHarness } from "../harness.fixture.ts";
import { archiveOf, bombOf, chartFile, crowdOf } from "./archive/tar.fixture.ts";
import { type Place, startPlace } from "./web.fixture.ts";

const undo = new AsyncDisposableStack();
let harness: Harness;
let place: Place;
let root: string;
/** Where runs have their folders. */
let runs: { readonly folder: string; readonly fence: Fence };
beforeAll(async () => {
  harness = undo.use(await openHarness());
  place = undo.use(await startPlace());
  root = await mkdtemp(join(tmpdir(), "fairlead-archives-"));
  undo.defer(() => rm(root, { recursive: true, force: true }));
  // Programs run as another user.
  await chmod(root, 0o755);
  const folder = join(root, "runs");
  await mkdir(folder);
  runs = { folder, fence: await openTestFence(folder) };
});
afterAll(() => undo.disposeAsync());

const template = {
  name: "web/templates/a.yaml",
  body: JSON.stringify(configMap("web", { text: '{{ .Files.Get "a" }}' })),
};
const outside = `${tmpdir()}/fairlead-written-outside`;

test.each([
  ["a symbolic link", () => archiveOf([chartFile, template, { name: "web/a", flag: "2", link: "/etc/passwd" }])],
  ["a hard link", () => archiveOf([chartFile, template, { name: "web/a", flag: "1", link: "/etc/passwd" }])],
  ["a device", () => archiveOf([chartFile, template, { name: "web/a", flag: "3" }])],
  ["a path upwards", () => archiveOf([chartFile, { name: `web/../../../..${outside}`, body: "x" }])],
  ["an absolute path", () => archiveOf([chartFile, { name: outside, body: "x" }])],
  ["a file of 2 GiB in 2 MB", () => bombOf(32)],
  ["200,000 entries", () => crowdOf(200)],
  ["a bomb that it depends on", () => archiveOf([chartFile, { name: "web/charts/a-1.0.0.tgz", body: bombOf(8) }])],
  ["sixteen that unpack to 64 MiB each", () => archiveOf([chartFile, ...bombs(16)])],
  ["no end", () => archiveOf([chartFile, { name: "web/a", body: "a".repeat(10_000) }]).subarray(0, 80)],
  ["another content", () => Buffer.from("<html></html>")],
])("an archive with %s isn't given to Helm", async (_, make) => {
  const body = make();
  place.answer = (path) => (path === "/index.yaml" ? { body: index } : { body });
  const source = { repository: place.url, name: "web", version: "1.2.3" };
  for (const how of [harness.plan, harness.run])
    await expect(how({ release: "none", chart: source }, runs)).rejects.toMatchObject({ code: "HELM_CHART_INVALID" });
  expect(await harness.exists("configmaps/web")).toBe(false);
  expect(await readdir(runs.folder)).toEqual([]);
  await expect(readdir(outside)).rejects.toThrow("ENOENT");
});

test("an archive that is too large, and an index that is none, are told", async () => {
  const source = { repository: place.url, name: "web", version: "1.2.3" };
  place.answer = (path) => (path === "/index.yaml" ? { body: index } : { body: Buffer.alloc(21 * 2 ** 20) });
  await expect(harness.run({ release: "none", chart: source })).rejects.toMatchObject({ code: "HELM_CHART_INVALID" });
  place.answer = () => ({ body: "entries: [" });
  await expect(harness.run({ release: "none", chart: source })).rejects.toMatchObject({ code: "HELM_FAILED" });
});

test.each<readonly [string, Partial<TestTree>, Readonly<Record<string, Buffer>>, string]>([
  [
    "links in circles",
    { links: { "web/templates/up": "..", "web/charts/over": "../templates" } },
    {},
    "HELM_CHART_INVALID",
  ],
  ["a bomb that it depends on", {}, { "web/charts/a-1.0.0.tgz": bombOf(2) }, "HELM_CHART_INVALID"],
  ["a link to the machine's files", { links: { "web/a": "/etc/passwd" } }, {}, "GIT_LINK_LEAVES"],
  ["a link to the run's files", { links: { "web/a": "../../helm" } }, {}, "GIT_LINK_LEAVES"],
])("a chart in git with %s isn't given to Helm", async (_, tree, binaries, code) => {
  await using http = await startGitHttp({ root });
  const repository = await openTestRepository(root, "charts.git");
  const { files } = chart({ "a.json": configMap("web") });
  const inFolder: Record<string, string> = {};
  for (const [path, text] of Object.entries(files)) inFolder[`web/${path}`] = String(text);
  const commit = await repository.commit({ files: { ...inFolder, ...binaries }, ...tree });
  const source = { git: { url: http.url("charts.git"), commit }, path: "web" };
  await expect(harness.run({ release: "none", chart: source })).rejects.toMatchObject({ code });
});

function bombs(count: number) {
  return Array.from({ length: count }, (_, index) => ({ name: `web/charts/${index}-1.0.0.tgz`, body: bombOf(1) }));
}

const entry = { apiVersion: "v2", name: "web", version: "1.2.3", urls: ["web-1.2.3.tgz"] };
const index = JSON.stringify({ apiVersion: "v1", entries: { web: [entry] } });
