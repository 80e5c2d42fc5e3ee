// tofu itself reads all that is written. `tofu validate` needs the providers' schemas, which only their registry has.
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { builtInProfiles, clusterTypes } from "@fairlead/doctor";
import { ensureTools } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inputsOf, renderFiles } from "./index.ts";

let tofu = "";
let home = "";

beforeAll(async () => {
  ({ tofu } = await ensureTools(["tofu"]));
  home = await mkdtemp(join(tmpdir(), "fairlead-scaffold-"));
});

afterAll(() => rm(home, { recursive: true, force: true }));

const cases = clusterTypes.flatMap((type) =>
  builtInProfiles.map((profile) => ({ type, profile, title: profile.name })),
);

test.each(cases)("tofu parses the code for $type with the profile $title, and would format none of it", async (one) => {
  const folder = await mkdtemp(join(home, "code-"));
  const answers = Object.fromEntries(inputsOf(one.type).map(({ name }) => [name, `a \${b} %{c} "${name}"`]));
  const files = renderFiles({ type: one.type, name: "east", profile: one.profile, answers });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);

  // A configuration of its own: without one tofu's warning of that stands among its answers.
  const configuration = join(home, "tofu.rc");
  await writeFile(configuration, "");
  const env = { ...process.env, TF_CLI_CONFIG_FILE: configuration };
  const { stdout } = await promisify(execFile)(tofu, ["fmt", "-check", "-diff", folder], { env });

  expect(stdout).toBe("");
});

test("tofu refuses code that is broken", async () => {
  const folder = await mkdtemp(join(home, "broken-"));
  await writeFile(join(folder, "main.tf"), 'resource "a" {\n');
  await expect(promisify(execFile)(tofu, ["fmt", "-check", folder])).rejects.toThrow("Error");
});
