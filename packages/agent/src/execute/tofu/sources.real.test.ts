// Where configurations come from, what they may say of their state, and what is asked for beside an apply.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type GitHttp, openTestRepository, startGitHttp } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { policyDenied } from "../../policy/index.ts";
import { openTofuHarness, type TofuHarness } from "./harness.fixture.ts";
import { planTofu } from "./plan.ts";
import { runTofu } from "./run.ts";

let harness: TofuHarness;
let root: string;
let http: GitHttp;
beforeAll(async () => {
  harness = await openTofuHarness();
  root = await mkdtemp(join(tmpdir(), "fairlead-tofu-git-"));
  http = await startGitHttp({ root });
});
afterAll(async () => {
  await http?.[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true });
  await harness?.[Symbol.asyncDispose]();
});

test("scenario 20: what is approved is the commit that was planned, wherever the branch has gone since", async () => {
  const repository = await openTestRepository(root, "infra.git");
  const module = 'variable "text" {}\nresource "terraform_data" "it" { input = var.text }\n';
  const first = await repository.commit({
    files: {
      "stacks/web/main.tf": 'module "it" {\n  source = "../../modules/it"\n  text   = file("text")\n}',
      "stacks/web/text": "first",
      "modules/it/main.tf": module,
    },
  });
  const source = { git: { url: http.url("infra.git"), ref: "main" }, path: "stacks/web" };
  const planning = harness.task({ spec: { name: "git", source } });
  const { digest, json } = await planTofu(planning);
  expect(json).toMatchObject({ commit: first, resources: [{ address: "module.it.terraform_data.it", did: "add" }] });
  await repository.commit({ files: { "stacks/web/main.tf": 'resource "terraform_data" "evil" {}' } });
  const record = planning.record.json;
  const applied = await runTofu(
    harness.task({ spec: { name: "git", source }, record, approvedDigest: digest, epoch: 2 }),
  );
  expect(applied.json).toMatchObject({ commit: first, applied: { added: 1 } });
});

test("drift is told, and nothing is changed by telling it; a refresh takes it into the state", async () => {
  const main = (text: string): string =>
    `resource "terraform_data" "web" { input = "${text}" }\noutput "o" { value = 1 }`;
  await runTofu(harness.task({ main: main("a"), spec: { name: "drift" } }));
  const before = await harness.get("secrets/tfstate-default-drift");
  const spec = { name: "drift", action: "drift" };
  expect(await runTofu(harness.task({ main: main("a"), spec }))).toMatchObject({ json: { drifted: false } });
  const drifted = await runTofu(harness.task({ main: main("b"), spec }));
  expect(drifted.json).toMatchObject({ action: "drift", drifted: true, resources: [{ did: "change" }] });
  expect(await planTofu(harness.task({ main: main("b"), spec }))).toMatchObject({ isEmpty: true });
  expect((await harness.get("secrets/tfstate-default-drift")).data).toEqual(before.data);
  const refreshed = await runTofu(harness.task({ main: main("b"), spec: { name: "drift", action: "refresh" } }));
  expect(refreshed).toMatchObject({ json: { applied: { added: 0, changed: 0, destroyed: 0 } } });
});

test("scenario 20: only targets are made, in a workspace of their own; what depends on others goes with them", async () => {
  const main = `
resource "terraform_data" "base" {}
resource "terraform_data" "top" { input = terraform_data.base.id }
resource "terraform_data" "other" {}`;
  const spec = { name: "part", workspace: "blue" };
  const targeted = await runTofu(harness.task({ main, spec: { ...spec, targets: ["terraform_data.top"] } }));
  expect(targeted.json).toMatchObject({ workspace: "blue", applied: { added: 2 } });
  expect(await harness.secretNames()).toContain("tfstate-blue-part");
  const destroyed = await runTofu(
    harness.task({ main, spec: { ...spec, action: "destroy", targets: ["terraform_data.base"] } }),
  );
  expect(destroyed.json).toMatchObject({ applied: { destroyed: 2 } });
});

test.each([
  ["another backend", { "main.tf": 'terraform {\n  backend "local" {}\n}' }, {}, "TOFU_BACKEND_FOREIGN"],
  ["one in JSON", { "main.tf.json": '{"terraform":{"backend":{"s3":{}}}}' }, {}, "TOFU_BACKEND_FOREIGN"],
  ["no configuration", { "readme.md": "" }, {}, "TOFU_PATH_MISSING"],
  ["a broken one", { "main.tf": "resource {" }, {}, "TOFU_SOURCE_UNREADABLE"],
  [
    "an unknown provider",
    { "main.tf": 'resource "none_x" "y" {}' },
    { providers: { mirror: "https://127.0.0.1:1/" } },
    "TOFU_PROVIDER_MISSING",
  ],
  ["a variable without value", { "main.tf": 'variable "x" {}' }, {}, "TOFU_VARIABLES_MISSING"],
])("scenario 20: %s ends in a code of its own before anything is changed", async (_, files, also, code) => {
  const task = harness.task({ spec: { name: "refused", source: { files }, ...also } });
  await expect(runTofu(task)).rejects.toMatchObject({ code });
});

test("a backend of the source counts for nothing where that is wished", async () => {
  const files = {
    "main.tf": 'terraform {\n  backend "local" {\n    path = "/tmp/x"\n  }\n}\noutput "o" { value = 1 }',
  };
  await runTofu(harness.task({ spec: { name: "replaced", source: { files }, replaceBackend: true } }));
  expect(await harness.secretNames()).toContain("tfstate-default-replaced");
});

test("modules from where the policy doesn't allow it are refused before anything is planned", async () => {
  const repository = await openTestRepository(root, "module.git");
  await repository.commit({ files: { "main.tf": 'resource "terraform_data" "x" {}' } });
  const main = `module "x" { source = "git::${http.url("module.git")}" }`;
  const asked: unknown[] = [];
  const mayUse = (source: unknown): void => {
    asked.push(source);
    throw policyDenied({ rule: "execute.tofu.modules.allow", reason: "not allowed" });
  };
  const task = harness.task({ main, spec: { name: "module" }, mayUse });
  await expect(runTofu(task)).rejects.toMatchObject({ code: "POLICY_DENIED" });
  expect(asked).toEqual([{ is: "tofu-module", source: `git::${http.url("module.git")}` }]);
});
