import { spawn } from "node:child_process";
import { buffer } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createCli, createTestTerminal, type RunOptions } from "../testing/cli.fixture.ts";
import { hubNow, startContractHub } from "../testing/hub.fixture.ts";
import { runCredential } from "./index.ts";

async function ask(home: string, args: readonly string[] = [], options: RunOptions = {}) {
  const { terminal, stdout, stderr } = createTestTerminal(home, options);
  const code = await runCredential(args, terminal);
  return { code, stdout: String(stdout.read() ?? ""), stderr: String(stderr.read() ?? "") };
}

test("kubectl gets the access token, and when to ask again", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);

  const { code, stdout } = await ask(cli.home);

  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    kind: "ExecCredential",
    apiVersion: "client.authentication.k8s.io/v1",
    spec: {},
    status: { token: [...hub.sessions.accessTokens.keys()][0], expirationTimestamp: "2026-05-06T07:22:09Z" },
  });
  expect(hub.requests).toEqual([]);
});

test.each(["v1", "v1beta1"])("a client that asks for %s gets that", async (version) => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  const apiVersion = `client.authentication.k8s.io/${version}`;
  const info = JSON.stringify({ apiVersion, kind: "ExecCredential", spec: { interactive: false } });

  const { stdout } = await ask(cli.home, [], { variables: { KUBERNETES_EXEC_INFO: info } });

  expect(JSON.parse(stdout)).toMatchObject({ apiVersion });
});

test.each(["{", "[]", '{"apiVersion":"client.authentication.k8s.io/v1alpha1"}'])(
  "a client that asks by %s is told that nothing fits",
  async (info) => {
    await using hub = await startContractHub();
    await using cli = await createCli();
    await cli.signIn(hub);

    const { code, stdout, stderr } = await ask(cli.home, [], { variables: { KUBERNETES_EXEC_INFO: info } });

    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("CLI_EXEC_VERSION_UNKNOWN");
  },
);

test("whoever isn't signed in any more gets one line that says so, and what to do", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  await cli.run(["logout"]);

  const { code, stdout, stderr } = await ask(cli.home);

  expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
  expect(stderr).toBe(
    `fairlead: You are signed out of ${hub.url}. Run 'fairlead login ${hub.url}'. (CLI_SIGNED_OUT)\n`,
  );
});

test("no hub gets the token of another, though the context has its name", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);

  const { code, stdout, stderr } = await ask(cli.home, ["--hub", "https://other.example.com"]);

  expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
  expect(stderr).toContain("CLI_CONTEXT_OTHER_HUB");
});

test("a pipeline's FAIRLEAD_TOKEN is handed on, without an end", async () => {
  await using cli = await createCli();

  const { stdout } = await ask(cli.home, [], { variables: { FAIRLEAD_TOKEN: "flb_robot" } });

  expect(JSON.parse(stdout).status).toEqual({ token: "flb_robot" });
});

test("a token that can't be renewed now is good to its very end", async () => {
  const hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  await hub[Symbol.asyncDispose]();

  const { stdout } = await ask(cli.home, [], { now: () => hubNow + 14.5 * 60_000 });

  expect(JSON.parse(stdout).status.expirationTimestamp).toBe("2026-05-06T07:23:09Z");
});

test("several kubectl at once cost one refresh", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  hub.now = () => Date.now();
  hub.sessions.accessTtlMs = 5_000_000;
  // Signed in by a clock of the past: it is time to refresh.
  await cli.signIn(hub);

  const runs = await Promise.all(Array.from({ length: 3 }, () => start(cli.home)));

  expect(runs.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(new Set(runs.map(({ stdout }) => JSON.parse(stdout).status.token)).size).toBe(1);
  expect(hub.requests).toHaveLength(1);
});

async function start(home: string): Promise<{ code: number | null; stdout: string }> {
  const main = fileURLToPath(new URL("../main.ts", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=@fairlead/source", main, "credential"], {
    env: { HOME: home, PATH: "/usr/bin:/bin" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [stdout, code] = await Promise.all([
    buffer(child.stdout),
    new Promise<number | null>((resolve) => child.once("exit", resolve)),
  ]);
  return { code, stdout: stdout.toString() };
}
