import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createCli } from "../testing/cli.fixture.ts";

const inputs = [
  "--set",
  "region=eu-north-1",
  "--set",
  "hub_url=https://hub.example.com:8444",
  "--set",
  "agent_chart=oci://registry.example.com/fairlead-agent",
  "--set",
  "agent_image_registry=registry.example.com",
];

const ask = (dir: string, ...more: string[]) => {
  return ["cluster", "scaffold", "--type", "eks", "--name", "east", "--dir", dir, ...inputs, ...more];
};

test("code for a cluster is written, with the pools of the profile and no token", async () => {
  await using cli = await createCli();
  const dir = join(cli.home, "east");

  const { code, stdout, stderr } = await cli.run(ask(dir, "--profile", "truefoundry"));

  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const files = await readdir(dir);
  for (const file of files) expect(stdout).toContain(`${dir}/${file}\n`);
  const read = (file: string) => readFile(join(dir, file), "utf8");
  expect(await read("pools.tf")).toMatch(/"aws_eks_node_group" "critical".*"default".*"gpu"/s);
  expect(await read("pools.tf")).toContain('key    = "class.truefoundry.com/component"');
  expect(await read("argocd.tf")).toContain('"name" = "tfy-apps"');
  expect(await read("agent.tf")).toContain('"token" = { "existingSecret" = var.join_token_secret }');
  expect(await read("README.md")).toContain("never applied to a real cloud");
  expect(JSON.parse(await read("terraform.tfvars.json"))).toMatchObject({ name: "east", region: "eu-north-1" });
  expect(await readdir(cli.home), "nothing is left beside it").toEqual(["east"]);
});

test("values of a profile stay texts in the code, and the README names the Secret that was asked for", async () => {
  await using cli = await createCli();
  const profile = join(cli.home, "ours.yaml");
  await writeFile(profile, "name: ours\nextends: truefoundry\nargocd: { project: \"a-${file('x')}-%{if}\" }\n");
  const dir = join(cli.home, "east");
  const more = ["--profile", profile, "--set", "join_token_secret=other-join"];
  expect(await cli.run(ask(dir, ...more))).toMatchObject({ code: 0, stderr: "" });
  expect(await readFile(join(dir, "argocd.tf"), "utf8")).toContain(`"name" = "a-$\${file('x')}-%%{if}"`);
  const readme = await readFile(join(dir, "README.md"), "utf8");
  expect(readme).toContain("create secret generic other-join --from-file");
  expect(readme).not.toContain("fairlead-agent-join");
});

test("a folder with something in it stays as it is", async () => {
  await using cli = await createCli();
  await mkdir(join(cli.home, "used"));
  await writeFile(join(cli.home, "used", "main.tf"), "# mine");

  const { code, stderr } = await cli.run(ask(join(cli.home, "used")));

  expect(code).toBe(5);
  expect(stderr).toContain("(CLI_FOLDER_NOT_EMPTY)");
  expect(await readdir(join(cli.home, "used"))).toEqual(["main.tf"]);
});

test("an empty folder is taken, and a dry run writes nothing", async () => {
  await using cli = await createCli();
  const dir = join(cli.home, "empty");
  await mkdir(dir);

  const dry = await cli.run(ask(dir, "--dry-run"));
  expect(dry.stdout).toContain("# network.tf\n");
  expect(await readdir(dir)).toEqual([]);
  expect((await cli.run(ask(dir))).code).toBe(0);
  expect(await readdir(dir)).toContain("network.tf");
});

test.each([
  [
    ["--type", "gke", "--name", "east"],
    "CLI_INPUT_MISSING",
    "project, region, hub_url, agent_chart, agent_image_registry",
  ],
  [["--type", "eks", "--name", "east", "--set", "zone=a"], "CLI_USAGE", "'zone'"],
  [["--type", "eks", "--name", "East"], "CLI_USAGE", "'East'"],
  [["--type", "cloud", "--name", "east"], "CLI_USAGE", "cloud"],
  [["--type", "eks", "--name", "east", "--profile", "nobody"], "nobody", "nobody"],
])("an input that is missing or wrong is named: %s", async (args, name, said) => {
  await using cli = await createCli();
  const { code, stderr } = await cli.run(["cluster", "scaffold", "--dir", join(cli.home, "x"), ...args]);
  expect(code).toBe(2);
  expect(stderr).toContain(name);
  expect(stderr).toContain(said);
  expect(await readdir(cli.home)).toEqual([]);
});
