import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { createCli } from "./testing/cli.fixture.ts";
import { makeCluster, startContractHub } from "./testing/hub.fixture.ts";

test("every kind of failure has its exit code", async () => {
  await using cli = await createCli();
  expect((await cli.run(["cluster", "list"])).code, "not signed in").toBe(3);
  await using hub = await startContractHub();
  await cli.signIn(hub);
  hub.clusters.set("east", makeCluster("east"));

  expect((await cli.run(["cluster", "list"])).code, "done").toBe(0);
  expect((await cli.run(["cluster", "get"])).code, "an argument is missing").toBe(2);
  expect((await cli.run(["cluster", "get", "west"])).code, "no such cluster").toBe(4);
  expect((await cli.run(["cluster", "add", "east"])).code, "the name is taken").toBe(5);
  hub.answer = { status: 400, body: JSON.stringify({ type: "t", title: "t", status: 400, code: "X", detail: "x" }) };
  expect((await cli.run(["cluster", "add", "East"])).code, "the hub doesn't understand it").toBe(2);
  hub.answer = { status: 500, body: "" };
  expect((await cli.run(["cluster", "list"])).code, "the answer is no hub's").toBe(1);
  hub.answer = { status: 503, body: "<h1>no upstream</h1>" };
  expect((await cli.run(["cluster", "list"])).code, "no hub behind the load balancer").toBe(6);
  await hub[Symbol.asyncDispose]();
  expect((await cli.run(["cluster", "list"])).code, "nobody listens").toBe(6);
  expect((await cli.run(["cluster", "list"], { signal: AbortSignal.abort() })).code, "Ctrl-C").toBe(130);
});

test("errors are a sentence with a code, and a hint", async () => {
  await using cli = await createCli();

  const { stdout, stderr } = await cli.run(["whoami"]);

  expect(stdout).toBe("");
  expect(stderr).toBe(
    `fairlead: You aren't signed in to a hub: the file ${cli.configFile} doesn't exist. (CLI_NOT_SIGNED_IN)\n` +
      "  Run 'fairlead login https://HUB' first.\n",
  );
});

test("with --json errors are problems on standard error, those of the command line too", async () => {
  await using cli = await createCli();

  for (const [args, code] of [
    [["whoami", "--json"], "CLI_NOT_SIGNED_IN"],
    [["--json", "clster"], "CLI_USAGE"],
  ] as const) {
    const { stdout, stderr } = await cli.run(args);
    expect(stdout).toBe("");
    expect(JSON.parse(stderr)).toMatchObject({ code, type: `urn:fairlead:error:${code}` });
  }
});

test("what the hub got wrong is printed with the id to find it by", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  const problem = { type: "t", title: "STORE_FULL", status: 507, code: "STORE_FULL", detail: "The disk is full." };
  hub.answer = { status: 507, body: JSON.stringify({ ...problem, requestId: "req_7" }) };

  expect((await cli.run(["cluster", "list"])).stderr).toBe(
    "fairlead: The disk is full. (STORE_FULL)\n  Request id: req_7\n",
  );
});

test.each([
  [["clster"], "Did you mean cluster?"],
  [["cluster", "lst"], "list"],
  [["cluster", "list", "--jsn"], "Did you mean --json?"],
  [["cluster", "add"], "See 'fairlead cluster add --help'."],
  [["cluster", "add", "east", "--ttl", "soon"], "1h30m"],
  [["cluster", "add", "east", "--ttl", "8d"], "7d"],
  [["cluster", "add", "east", "--role", "root"], "proxy"],
  [["cluster", "add", "east", "--label", "prod"], "env=prod"],
  [["login", "https://h", "--ca-file", "f", "--ca-fingerprint", "ab"], "See 'fairlead login --help'."],
  [["login", "https://h", "--ca-fingerprint", "ab"], "64 digits"],
])("%j is answered with advice and exit code 2", async (args, advice) => {
  await using cli = await createCli();

  const result = await cli.run(args, { variables: { FAIRLEAD_TOKEN: "t" } });

  expect(result.code).toBe(2);
  expect(result.stderr).toContain("(CLI_USAGE)");
  expect(result.stderr).toContain(advice);
});

test("help is an answer; no command at all is not", async () => {
  await using cli = await createCli();

  expect(await cli.run(["cluster", "add", "--help"])).toMatchObject({ code: 0, stderr: "" });
  expect(await cli.run(["--version"])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  expect(await cli.run([])).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("Usage:") });
});

test.each([
  ["no JSON", "version: 1", "it isn't JSON"],
  ["a list", "[]", "its version isn't 2"],
  ["another version", '{"version":3}', "its version isn't 2"],
  ["no contexts", '{"version":2}', "'contexts' is missing"],
  ["an unsafe address", '{"version":2,"contexts":{"a":{"hub":"http://h"}}}', "'hub' isn't an https:// URL"],
  ["a broken CA", '{"version":2,"contexts":{"a":{"hub":"https://h","ca":"x"}}}', "'ca' isn't a certificate in PEM"],
  ["half a session", '{"version":2,"contexts":{"a":{"hub":"https://h","session":{}}}}', "'session' isn't one"],
])("a configuration file with %s is named and explained", async (_, text, why) => {
  await using cli = await createCli();
  await mkdir(dirname(cli.configFile), { recursive: true });
  await writeFile(cli.configFile, text);

  const { code, stderr } = await cli.run(["whoami"]);

  expect(code).toBe(1);
  expect(stderr).toContain(`${cli.configFile} can't be used: ${why}. (CLI_CONFIG_INVALID)`);
});

test("a configuration file that can't be read is no missing sign-in", async () => {
  await using cli = await createCli();
  await mkdir(cli.configFile, { recursive: true });

  expect((await cli.run(["whoami"])).stderr).toContain("can't be used: it can't be read. (CLI_CONFIG_INVALID)");
});

test("--config and FAIRLEAD_CONFIG name another file, in that order", async () => {
  await using cli = await createCli();
  const variables = { FAIRLEAD_CONFIG: "/nowhere/variable" };

  expect((await cli.run(["whoami"], { variables })).stderr).toContain("/nowhere/variable");
  expect((await cli.run(["whoami", "--config", "/nowhere/flag"], { variables })).stderr).toContain("/nowhere/flag");
});

test("the version of the hub stands beside the client's, and the client's stands alone when there is no hub", async () => {
  await using cli = await createCli();
  expect(await cli.run(["version"])).toMatchObject({ code: 0, stdout: expect.stringContaining("not signed in") });
  await using hub = await startContractHub();
  await cli.signIn(hub);

  expect((await cli.run(["version"])).stdout).toContain("Hub     9.8.7 (test.local)");
  expect(JSON.parse((await cli.run(["version", "--json"])).stdout)).toMatchObject({
    client: { version: expect.any(String) },
    hub: { version: "9.8.7", hubInstanceId: "hub_1" },
  });
  await hub[Symbol.asyncDispose]();
  const { code, stdout } = await cli.run(["version", "--json"]);
  expect(code).toBe(6);
  expect(JSON.parse(stdout)).toMatchObject({ hub: null });
});
