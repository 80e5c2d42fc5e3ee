import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createAuthority } from "@fairlead/protocol/x509";
import { expect, test } from "vitest";
import { createCli } from "../testing/cli.fixture.ts";
import { hubToken, startContractHub } from "../testing/hub.fixture.ts";

const signIn = { variables: { FAIRLEAD_TOKEN: hubToken } };

test("the CA's fingerprint is enough to sign in, in any spelling", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  const spelled = hub.authority.fingerprint.toUpperCase().replace(/..(?=.)/g, "$&:");

  const result = await cli.run(["login", hub.url, "--ca-fingerprint", spelled], signIn);

  expect(result).toMatchObject({ code: 0, stdout: `Signed in to ${hub.url} as admin.\n` });
  expect((await stat(cli.configFile)).mode & 0o777).toBe(0o600);
  expect(await cli.run(["whoami"])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`admin on ${hub.url}\n`),
  });
});

test("a fingerprint that no certificate has is refused before the token is sent", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();

  const result = await cli.run(["login", hub.url, "--ca-fingerprint", "0".repeat(64)], signIn);

  expect(result.code).toBe(1);
  expect(result.stderr).toContain("CLI_FINGERPRINT_MISMATCH");
  expect(hub.requests.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
  await expect(stat(cli.configFile)).rejects.toThrow("ENOENT");
});

test("a server that only shows the hub's CA, without being certified by it, never gets the token", async () => {
  const real = await createAuthority({ commonName: "the hub's CA", days: 30 });
  await using impostor = await startContractHub({ appendToChain: real.caPem });
  await using cli = await createCli();

  const result = await cli.run(["login", impostor.url, "--ca-fingerprint", real.fingerprint], signIn);

  expect(result.code).toBe(1);
  expect(result.stderr).toMatch(/CLI_HUB_UNTRUSTED|CLI_FINGERPRINT_MISMATCH/);
  expect(impostor.requests.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
});

test("a certificate that is made for another name is refused even when its CA is right", async () => {
  await using hub = await startContractHub({ names: ["elsewhere.example.com"] });
  await using cli = await createCli();

  const result = await cli.run(["login", hub.url, "--ca-fingerprint", hub.authority.fingerprint], signIn);

  expect(result.code).toBe(1);
  expect(result.stderr).toContain("it is issued for another name. (CLI_HUB_UNTRUSTED)");
});

test("the CA can come as a file instead", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  const file = join(cli.home, "ca.pem");
  await writeFile(file, hub.authority.caPem);

  expect(await cli.run(["login", hub.url, "--ca-file", file], signIn)).toMatchObject({ code: 0 });
  await writeFile(file, "hello");
  expect((await cli.run(["login", hub.url, "--ca-file", file], signIn)).stderr).toContain("CLI_FILE_NOT_READ");
});

test("without a word about the CA only one that the system knows will do", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();

  const result = await cli.run(["login", hub.url], signIn);

  expect(result.code).toBe(1);
  expect(result.stderr).toContain("CLI_HUB_UNTRUSTED");
  expect(result.stderr).toContain("--ca-fingerprint");
});

test.each(["file", "dash", "stdin"] as const)("the token is taken from %s", async (source) => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  const file = join(cli.home, "token");
  await writeFile(file, `${hubToken}\n`);
  const from = { file: ["--token-file", file], dash: ["--token-file", "-"], stdin: [] }[source];
  const pinned = ["login", hub.url, "--ca-fingerprint", hub.authority.fingerprint];

  const result = await cli.run([...pinned, ...from], { stdin: source === "file" ? "" : `${hubToken}\n` });

  expect(result).toMatchObject({ code: 0 });
});

test("someone at a terminal is asked for the token, which isn't shown", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  const args = ["login", hub.url, "--ca-fingerprint", hub.authority.fingerprint];

  const result = await cli.run(args, { isTTY: true, stdin: `${hubToken}\n` });

  expect(result.code).toBe(0);
  expect(result.stderr).toContain("Token: ");
  expect(result.stdout + result.stderr).not.toContain(hubToken);
});

test("a token that the hub refuses exits with 3 and leaves the earlier sign-in alone", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  const before = await readFile(cli.configFile, "utf8");

  const args = ["login", hub.url, "--ca-fingerprint", hub.authority.fingerprint];
  const result = await cli.run(args, { variables: { FAIRLEAD_TOKEN: "fla_wrong" } });

  expect(result).toMatchObject({ code: 3, stderr: "fairlead: The token isn't known. (AUTH_INVALID)\n" });
  expect(await readFile(cli.configFile, "utf8")).toBe(before);
});

test("--json tells what was stored, and never the token", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();

  const args = ["login", hub.url, "--ca-fingerprint", hub.authority.fingerprint, "--json"];
  const { stdout, stderr } = await cli.run(args, signIn);

  expect(JSON.parse(stdout)).toEqual({
    name: "admin",
    hub: hub.url,
    context: hub.url.replace("https://", ""),
    caFingerprint: hub.authority.fingerprint,
    config: cli.configFile,
  });
  expect(stderr).toBe("");
});

test.each([
  ["http://hub.example.com", "must start with https://"],
  ["https://user:pass@hub.example.com", "unexpected parts"],
  ["https://", "isn't an address"],
])("the address %s is refused", async (url, why) => {
  await using cli = await createCli();

  const result = await cli.run(["login", url], signIn);

  expect(result.code).toBe(2);
  expect(result.stderr).toContain(why);
});

test.each([
  ["nothing", ""],
  ["two lines", "fla_a\nfla_b"],
])("%s on standard input is no token", async (_, stdin) => {
  await using cli = await createCli();

  const result = await cli.run(["login", "https://127.0.0.1:1"], { stdin });

  expect(result.code).toBe(2);
  expect(result.stderr).not.toContain("fla_a");
});
