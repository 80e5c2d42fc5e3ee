// Modules that a hostile server gives out. Each ends in a code before anything is planned, and leads nowhere else.
import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { openTestRepository } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { judgeHost } from "../../policy/judge-host.ts";
import { policySchema } from "../../policy/schema.ts";
import type { Fence } from "../../processes/index.ts";
import { openEgress } from "../egress/index.ts";
import { openTestFence } from "../fence.fixture.ts";
import { archiveOf, bombOf } from "../helm/chart/archive/tar.fixture.ts";
import { type Answer, type Place, redirectTo, startOutside, startPlace } from "../helm/chart/web.fixture.ts";
import { openTofuHarness, type TofuHarness } from "./harness.fixture.ts";
import { planTofu } from "./plan.ts";

const undo = new AsyncDisposableStack();
let harness: TofuHarness;
let place: Place;
let other: Place;
let root: string;
/** Where runs have their folders. */
let runs: { readonly folder: string; readonly fence: Fence };
beforeAll(async () => {
  harness = undo.use(await openTofuHarness());
  place = undo.use(await startPlace());
  other = undo.use(await startPlace());
  root = await mkdtemp(join(tmpdir(), "fairlead-modules-"));
  undo.defer(() => rm(root, { recursive: true, force: true }));
  await chmod(root, 0o755);
  const folder = join(root, "runs");
  await mkdir(folder);
  runs = { folder, fence: await openTestFence(folder) };
  await (await openTestRepository(root, "x.git")).commit({ files: { "main.tf": 'output "o" { value = 1 }' } });
});
afterAll(() => undo.disposeAsync());

const main = { name: "main.tf", body: 'output "o" { value = 1 }' };
/** Fails where the file has a content. */
const reading = {
  name: "main.tf",
  body: `output "o" {
    value = 1
    precondition {
      condition     = file("\${path.module}/a") == ""
      error_message = "it has a content"
    }
  }`,
};

test("a module in an archive is fetched", async () => {
  place.answer = () => ({ body: archiveOf([main]) });
  await plan(`${place.url}/m.tgz`);
});

test.each<readonly [string, () => Buffer]>([
  ["a path upwards", () => archiveOf([main, { name: "../../../../escaped", body: "x" }])],
  ["a link to a folder, and a file in it", () => archiveOf([main, ...linkedFolder()])],
  ["a file of 2 GiB in 2 MB", () => bombOf(32, "a")],
  ["more entries than are looked at", () => archiveOf(crowd())],
])("a module's archive with %s ends in a code", async (_, make) => {
  place.answer = () => ({ body: make() });
  await expect(plan(`${place.url}/m.tgz`)).rejects.toMatchObject({ code: expect.stringMatching(/^TOFU_/) });
  expect((await readdir(root)).sort()).toEqual(["runs", "x.git"]);
  expect((await readdir(runs.folder)).filter((name) => name.startsWith("work-"))).toEqual([]);
});

test.each([
  ["a symbolic link", "2"],
  ["a hard link", "1"],
  ["a device", "3"],
])("%s in a module's archive is an empty file", async (_, flag) => {
  place.answer = () => ({ body: archiveOf([reading, { name: "a", flag, link: "/etc/passwd" }]) });
  await plan(`${place.url}/m.tgz`);
  place.answer = () => ({ body: archiveOf([reading, { name: "a", body: "x" }]) });
  await expect(plan(`${place.url}/m.tgz`)).rejects.toMatchObject({ code: "TOFU_PLAN_FAILED" });
});

test.each<readonly [string, () => string]>([
  ["a program", () => `git::ext::sh -c touch% ${root}/runs/mark`],
  ["a repository on the machine", () => `git::file://${root}/x.git`],
  ["the same by its path", () => `git::${root}/x.git`],
  ["a folder of the machine", () => "/etc"],
  ["the same as an address", () => "file:///etc"],
  ["a folder above", () => "../../.."],
  ["an option for git", () => `git::${place.url}/x.git?ref=--upload-pack=touch%20${root}/runs/mark`],
])("a module from %s ends in a code", async (_, source) => {
  await expect(plan(source())).rejects.toMatchObject({ code: expect.stringMatching(/^TOFU_/) });
  expect(await readdir(runs.folder)).not.toContain("mark");
});

test.each<readonly [string, () => Answer]>([
  ["a redirect to another port", () => redirectTo(`${other.url}/m.tgz`)],
  ["a redirect to its other name", () => redirectTo(`http://localhost:${other.port}/m.tgz`)],
  ["a redirect to a file", () => redirectTo("file:///etc/hostname")],
  ["a header that names another port", () => ({ headers: { "x-terraform-get": `${other.url}/m.tgz` } })],
  [
    "a header that names a program",
    () => ({ headers: { "x-terraform-get": `git::ext::sh -c touch% ${root}/runs/mark` } }),
  ],
  ["a header that names a repository here", () => ({ headers: { "x-terraform-get": `git::file://${root}/x.git` } })],
  ["a header that names a folder here", () => ({ headers: { "x-terraform-get": "file:///etc" } })],
  ["a tag that names a folder here", () => ({ body: '<html><meta name="terraform-get" content="/etc" /></html>' })],
])("%s leads nowhere", async (_, answer) => {
  place.answer = (path) => (path.startsWith("/m") ? answer() : { status: 404 });
  await expect(plan(`${place.url}/m`)).rejects.toMatchObject({ code: expect.stringMatching(/^TOFU_/) });
  expect(other.asked).toEqual([]);
  expect(await readdir(runs.folder)).not.toContain("mark");
});

const registry = "registry.example.com";
const elsewhere = "https://blobs.example.com/m.tgz";

test.each<readonly [string, string, readonly string[], string | undefined]>([
  ["another host that is listed", elsewhere, [registry, "blobs.example.com"], undefined],
  ["another host that isn't", elsewhere, [registry], "TOFU_INIT_FAILED"],
  ["another host by a redirect", "https://registry.example.com/away", [registry], "TOFU_INIT_FAILED"],
  ["the agent's machine", "http://127.0.0.1:9/m.tgz", ["*"], "TOFU_INIT_FAILED"],
  ["a metadata address", "http://169.254.169.254/m.tgz", ["*"], "TOFU_INIT_FAILED"],
  ["a folder of the machine", "file:///etc", ["*"], "TOFU_SOURCE_UNREADABLE"],
  ["a repository on the machine", "git::file:///etc", ["*"], "TOFU_INIT_FAILED"],
  ["a program", "git::ext::sh -c id", ["*"], "TOFU_INIT_FAILED"],
])("a registry that leads to %s leads no further than the policy", async (_, location, hosts, code) => {
  await using outside = await openOutside(location);
  const policy = policySchema.parse({ execute: { network: { hosts: { allow: hosts } } } });
  await using egress = await openEgress({
    judgeHost: (target) => judgeHost(policy, target),
    environment: outside.environment,
    resolve: () => Promise.reject(new Error("the proxy alone knows names")),
  });
  const environment = { ...harness.environment, SSL_CERT_FILE: outside.authority };
  const main = `module "x" { source = "${registry}/ours/web/aws" }`;
  const planning = planTofu(harness.task({ main, environment, egress, policy, ...runs }));
  if (code === undefined) await planning;
  else await expect(planning).rejects.toMatchObject({ code });
  expect(outside.asked.includes("blobs.example.com:443")).toBe(code === undefined);
  expect(outside.asked).toContain(`${registry}:443`);
});

/** The registry, and a server whose module it may name. */
async function openOutside(location: string) {
  await using opened = new AsyncDisposableStack();
  const files = { key: join(root, "web.key"), cert: join(root, "web.crt") };
  const names = `subjectAltName=DNS:${registry},DNS:blobs.example.com`;
  const args = ["req", "-x509", "-nodes", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-days", "2"];
  const made = ["-subj", "/CN=test", "-addext", names, "-keyout", files.key, "-out", files.cert];
  await promisify(execFile)("openssl", [...args, ...made]);
  opened.defer(() => Promise.all(Object.values(files).map((file) => rm(file))).then(() => undefined));
  const pair = { key: await readFile(files.key, "utf8"), cert: await readFile(files.cert, "utf8") };
  const answers = new Map<string, Answer>([
    [
      "/.well-known/terraform.json",
      { body: '{"modules.v1":"/v1/modules/"}', headers: { "content-type": "application/json" } },
    ],
    ["/v1/modules/ours/web/aws/versions", { body: '{"modules":[{"versions":[{"version":"1.0.0"}]}]}' }],
    ["/v1/modules/ours/web/aws/1.0.0/download", { status: 204, headers: { "x-terraform-get": location } }],
  ]);
  const isAway = (path: string): boolean => path.startsWith("/away");
  const answer: Place["answer"] = (path) =>
    answers.get(path) ?? (isAway(path) ? redirectTo(elsewhere) : { status: 404 });
  const registered = opened.use(await startPlace(answer, pair));
  const blobs = opened.use(await startPlace(() => ({ body: archiveOf([main]) }), pair));
  const places = { [`${registry}:443`]: registered, "blobs.example.com:443": blobs };
  const outside = opened.use(await startOutside(places));
  const kept = opened.move();
  return { ...outside, authority: files.cert, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** The runner looks at 100,000. */
function crowd() {
  return [main, ...Array.from({ length: 100_000 }, (_, index) => ({ name: `${index}` }))];
}

function linkedFolder() {
  return [
    { name: "a", flag: "2", link: "/tmp" },
    { name: "a/escaped", body: "x" },
  ];
}

async function plan(source: string): Promise<unknown> {
  return await planTofu(harness.task({ main: `module "x" {\n  source = ${JSON.stringify(source)}\n}`, ...runs }));
}
