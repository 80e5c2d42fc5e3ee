// `fairlead login` as a person uses it, against a real provider: a hub and its command line as processes of their own.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { programArgs, startHub, type TestHub } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { clientId, startProvider, type TestProvider } from "./provider.fixture.ts";

const undo = new AsyncDisposableStack();
let provider: TestProvider;
let hub: TestHub;

beforeAll(async () => {
  provider = undo.use(await startProvider());
  const secret = ["--oidc-client-id", clientId, "--oidc-client-secret-file", provider.secretFile];
  const args = ["--oidc-issuer", provider.issuer, "--oidc-ca-file", provider.caFile, ...secret];
  hub = undo.use(await startHub({ args: [...args, "--oidc-scopes", "openid,email,groups"] }));
  provider.serve({ callbackUrl: `${hub.url}/api/v1/auth/oidc/callback` });
  provider.accounts.set("alice", { email: "alice@example.com", email_verified: true, groups: ["dev"] });
  await hub.cli(["access", "binding", "create", "viewer", "--group", "dev", "--all-clusters"]);
});
afterAll(() => undo.disposeAsync());

/** Signs in with a configuration of its own; what it shows goes to the person. */
async function login(flags: readonly string[], person: (shown: string) => Promise<void>) {
  const config = join(hub.dataDir, "..", `cli-${crypto.randomUUID()}.json`);
  const args = ["login", hub.url, "--ca-fingerprint", hub.caFingerprint, "--config", config, ...flags];
  const child = spawn(process.execPath, [...programArgs("cli"), ...args], {
    env: { HOME: hub.dataDir, PATH: process.env["PATH"] ?? "" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "exit") as Promise<[number | null]>;
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => {
    stdout += String(chunk);
  });
  let isServed = false;
  child.stderr.on("data", (chunk) => {
    stderr += String(chunk);
    if (isServed || !/https:\S+\n\n/.test(stderr)) return;
    isServed = true;
    void person(stderr);
  });
  const [code] = await exited;
  return { code, stdout, stderr, config };
}

const urlIn = (shown: string): string => /https:\S+/.exec(shown)?.[0] ?? "";

test("a person signs in with the browser, and has the roles of the groups", async () => {
  const result = await login(["--oidc", "--no-browser"], async (shown) => {
    const back = await provider.browse(urlIn(shown), { login: "alice", until: "http://127.0.0.1" });
    expect(await (await fetch(back)).text()).toContain("You can close this window");
  });

  expect(result).toMatchObject({ code: 0, stdout: `Signed in to ${hub.url} as alice@example.com.\n` });
  const whoami = (await hub.cli(["whoami", "--config", result.config, "--json"])).stdout;
  expect(JSON.parse(whoami)).toMatchObject({ kind: "user", groups: ["dev"], bindings: [{ role: "viewer" }] });
  const denied = await hub.cli(["cluster", "add", "mine", "--config", result.config], { allowFailure: true });
  expect(denied).toMatchObject({ code: 7, stderr: expect.stringContaining("ACCESS_DENIED") });

  await hub.cli(["access", "user", "sign-out", "alice@example.com"]);
  const gone = await hub.cli(["whoami", "--config", result.config], { allowFailure: true });
  expect(gone).toMatchObject({ code: 3, stderr: expect.stringContaining("CLI_SESSION_ENDED") });
  expect(await readFile(result.config, "utf8")).not.toMatch(/fl[sr]_/);
});

test("a person signs in by a code, in a browser elsewhere", async () => {
  const result = await login(["--device"], async (shown) => {
    await provider.browse(urlIn(shown), { login: "alice" });
  });

  expect(result.stderr).toMatch(/\n {2}\w{4}-\w{4}\n/);
  expect(result).toMatchObject({ code: 0, stdout: `Signed in to ${hub.url} as alice@example.com.\n` });
});
