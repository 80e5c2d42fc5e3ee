import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createCli } from "../testing/cli.fixture.ts";
import { joinToken, makeCluster, startContractHub } from "../testing/hub.fixture.ts";

test("a cluster is added, listed, shown, revoked and removed", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);

  const added = await cli.run(["cluster", "add", "east", "--label", "env=prod", "--label", "tier=", "--ttl", "90m"]);
  expect(added.code).toBe(0);
  expect(added.stdout).toContain(`  ${joinToken}\n`);
  expect(added.stdout).toContain("fairlead-agent --hub https://127.0.0.1:8444 --token-file ./east.join-token");
  expect(added.stdout).toContain("  helm upgrade --install it\n\nBehind a proxy, run this first, and add to the last");
  expect(added.stdout).toMatch(/\n {2}kubectl create it\n {2}--set proxied=true\n$/);
  expect(JSON.parse(hub.requests.at(-1)?.body ?? "")).toEqual({
    name: "east",
    labels: { env: "prod", tier: "" },
    tokenTtlMs: 5_400_000,
  });

  expect((await cli.run(["cluster", "list"])).stdout).toBe(
    "NAME  STATE            SINCE  ROLES  LIVE  KUBERNETES  AGENT  LABELS\n" +
      "east  never-connected  3m     proxy  -     -           -      env=prod,tier=\n",
  );
  expect((await cli.run(["cluster", "get", "east"])).stdout).toContain("Last seen:   never\n");
  expect((await cli.run(["cluster", "revoke", "east", "--reason", "stolen laptop"])).code).toBe(0);
  expect(JSON.parse(hub.requests.at(-1)?.body ?? "")).toEqual({ reason: "stolen laptop" });
  expect(await cli.run(["cluster", "delete", "east", "--yes"])).toMatchObject({ code: 0 });
  expect(hub.clusters.size).toBe(0);
});

test("with --token-out the token is in a private file and nowhere else", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  const file = join(cli.home, "a token");

  const text = await cli.run(["cluster", "add", "east", "--token-out", file]);
  const json = await cli.run(["cluster", "token", "create", "east", "--token-out", file, "--json"]);

  expect(text.stdout + text.stderr + json.stdout + json.stderr).not.toContain(joinToken);
  expect(await readFile(file, "utf8")).toBe(`${joinToken}\n`);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(JSON.parse(json.stdout)).toMatchObject({ tokenFile: file });
  expect(text.stdout).toContain(`--token-file '${file}'`);
  expect(text.stdout).toContain(`--from-file=token='${file}'\n`);
  expect(JSON.parse(json.stdout).helm.command).toContain(`--from-file=token='${file}'\n`);
});

test("folders that a token's file needs are made, for their owner alone", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  const folder = join(cli.home, "tokens");

  const { code } = await cli.run(["cluster", "add", "east", "--token-out", join(folder, "prod", "east")]);

  expect(code).toBe(0);
  expect(await readFile(join(folder, "prod", "east"), "utf8")).toBe(`${joinToken}\n`);
  for (const made of [folder, join(folder, "prod")]) expect((await stat(made)).mode & 0o777).toBe(0o700);
});

test("a token that can't be kept says how to get another", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);

  const result = await cli.run(["cluster", "add", "east", "--token-out", cli.home]);

  expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining("it is a folder. (CLI_TOKEN_NOT_KEPT)") });
  expect(result.stderr).toContain("fairlead cluster token create east");
  expect(result.stdout + result.stderr).not.toContain(joinToken);
});

test("roles are asked for by repeating the option", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);

  await cli.run(["cluster", "add", "east", "--role", "proxy", "--role", "observe", "--role", "proxy"]);

  expect(JSON.parse(hub.requests.at(-1)?.body ?? "")).toEqual({ name: "east", roles: ["proxy", "observe"] });
});

test("a script that removes a cluster must say --yes", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  hub.clusters.set("east", makeCluster("east"));

  const result = await cli.run(["cluster", "delete", "east"], { stdin: "yes\n" });

  expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining("Add --yes.") });
  expect(hub.clusters.size).toBe(1);
});

test.each([
  ["y", 0, 0],
  ["", 1, 1],
  ["no", 1, 1],
])("someone who answers %j to the question gets exit code %i", async (answer, code, left) => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  hub.clusters.set("east", makeCluster("east"));

  const result = await cli.run(["cluster", "delete", "east"], { isTTY: true, stdin: `${answer}\n` });

  expect(result.code).toBe(code);
  expect(result.stderr).toContain("[y/N]");
  expect(hub.clusters.size).toBe(left);
});

test("what an agent calls itself can't steer the terminal", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  hub.clusters.set("east", makeCluster("east", { agentVersion: "1\u001b]0;owned\u0007\u009b2J\n2" }));

  const { stdout } = await cli.run(["cluster", "list"]);

  expect(stdout).toContain("1�]0;owned��2J�2");
  expect(stdout.split("\n")).toHaveLength(3);
});

test("colours are for terminals, and not for those who don't want them", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  hub.clusters.set("east", makeCluster("east", { state: "connected" }));
  const list = ["cluster", "list"];

  const plain = (await cli.run(list)).stdout;
  const colored = (await cli.run(list, { isTTY: true })).stdout;

  expect(plain).not.toContain("\u001b");
  expect(colored).toContain("\u001b[32mconnected\u001b[39m");
  expect((await cli.run(list, { isTTY: true, variables: { NO_COLOR: "1" } })).stdout).toBe(plain);
  expect((await cli.run([...list, "--json"], { isTTY: true })).stdout).not.toContain("\u001b");
});

test("an empty list is an empty answer, with the advice beside it", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);

  expect(await cli.run(["cluster", "list"])).toMatchObject({ stdout: "", stderr: expect.stringContaining("add NAME") });
  expect(await cli.run(["--json", "cluster", "list"])).toMatchObject({ stdout: '{\n  "items": []\n}\n', stderr: "" });
});
