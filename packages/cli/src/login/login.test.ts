import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { createCli } from "../testing/cli.fixture.ts";
import { type ContractHub, hubToken, startContractHub } from "../testing/hub.fixture.ts";

const provider = { issuer: "https://id.example.com", name: "Example", deviceFlow: true };
const alice = { name: "alice@example.com", kind: "user", groups: ["dev"], bindings: [] } as const;

function withProvider(hub: ContractHub): string[] {
  hub.sessions.methods = { token: true, oidc: provider };
  hub.sessions.principal = { ...alice, groups: [...alice.groups], bindings: [] };
  return ["login", hub.url, "--ca-fingerprint", hub.authority.fingerprint];
}

/** A browser that the provider sends straight back. */
function createBrowser(hub: ContractHub, change: (query: URLSearchParams) => void = () => undefined) {
  const pages: { status: number; body: string }[] = [];
  const openBrowser = (address: string): void => {
    const query = new URL(address).searchParams;
    hub.sessions.codes.set("code_1", query.get("code_challenge") ?? "");
    const back = new URL(query.get("redirect_uri") ?? "");
    const visit = new URLSearchParams({ code: "code_1", state: query.get("state") ?? "" });
    change(visit);
    back.search = visit.toString();
    request(back, (response) => {
      void text(response).then((body) => pages.push({ status: response.statusCode ?? 0, body }));
    }).end();
  };
  return { openBrowser, pages };
}

test("a person signs in with the browser, and only the session is kept", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  const browser = createBrowser(hub);

  const variables = { DISPLAY: ":0" };
  const result = await cli.run(withProvider(hub), { isTTY: true, openBrowser: browser.openBrowser, variables });

  expect(result).toMatchObject({ code: 0, stdout: `Signed in to ${hub.url} as alice@example.com.\n` });
  expect(result.stderr).toContain(`  ${hub.url}/api/v1/auth/oidc/start?redirect_uri=http%3A%2F%2F127.0.0.1%3A`);
  expect(browser.pages).toEqual([{ status: 200, body: expect.stringContaining("You can close this window") }]);
  expect(await cli.run(["whoami"])).toMatchObject({ code: 0, stdout: expect.stringContaining("alice@example.com") });
});

test("a visit that our sign-in didn't send doesn't end it", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  const stranger = createBrowser(hub, (query) => query.set("state", "guessed"));
  const browser = createBrowser(hub);
  const openBrowser = (address: string): void => {
    stranger.openBrowser(address);
    setTimeout(() => browser.openBrowser(address), 50);
  };

  const result = await cli.run([...withProvider(hub), "--oidc"], { openBrowser });

  expect(result.code).toBe(0);
  expect(stranger.pages[0]?.status).toBe(400);
});

test("a sign-in that the provider refuses says why, with nothing that steers the terminal", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  const browser = createBrowser(hub, (query) => {
    query.delete("code");
    query.set("error", "access_denied");
    query.set("error_description", "not\u001b[2J today");
  });

  const result = await cli.run([...withProvider(hub), "--oidc"], { openBrowser: browser.openBrowser });

  expect(result.code).toBe(3);
  expect(result.stderr).toContain("The sign-in failed: not�[2J today. (CLI_LOGIN_REFUSED)");
});

test("--no-browser only prints the address; Ctrl-C ends the wait", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  const interrupt = new AbortController();
  let opened = 0;
  setTimeout(() => interrupt.abort(new Error("interrupted")), 300);

  const result = await cli.run([...withProvider(hub), "--oidc", "--no-browser"], {
    openBrowser: () => void opened++,
    signal: interrupt.signal,
  });

  expect(result.code).toBe(130);
  expect(opened).toBe(0);
});

test("with --device the code and where to type it are shown, and the hub is asked until it was", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  const args = withProvider(hub);

  const result = await cli.run([...args, "--device"]);

  expect(result.stderr).toContain("  https://id.example.com/device\n");
  expect(result.stderr).toContain("  WDJB-MJHT\n");
  expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining("alice@example.com") });
});

test("a machine without a display is signed in by a code", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();

  const result = await cli.run(withProvider(hub), { isTTY: true });

  expect(result.stderr).toContain(process.platform === "linux" ? "WDJB-MJHT" : "oidc/start");
});

test.each([
  ["--oidc", "an identity provider"],
  ["--device", "a code for another device"],
])("%s at a hub without a provider says what is missing", async (flag, what) => {
  await using hub = await startContractHub();
  await using cli = await createCli();

  const result = await cli.run(["login", hub.url, "--ca-fingerprint", hub.authority.fingerprint, flag]);

  expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining(`doesn't offer sign-in by ${what}.`) });
});

test("a long-lived token is exchanged and not kept", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();

  const args = ["login", hub.url, "--ca-fingerprint", hub.authority.fingerprint];
  expect(await cli.run(args, { variables: { FAIRLEAD_TOKEN: hubToken } })).toMatchObject({ code: 0 });

  expect(await readFile(cli.configFile, "utf8")).not.toContain(hubToken);
});

test("whoever signs in again needs no more than the address", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  await cli.run(["logout"]);

  expect(await cli.run(["login", hub.url], { variables: { FAIRLEAD_TOKEN: hubToken } })).toMatchObject({ code: 0 });
});

test("a second hub's sign-in leaves the first's alone, and --context chooses", async () => {
  await using east = await startContractHub();
  await using west = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(east);
  await cli.signIn(west);

  expect((await cli.run(["whoami"])).stdout).toContain(west.url);
  expect((await cli.run(["whoami", "--context", new URL(east.url).host])).stdout).toContain(east.url);
  const variables = { FAIRLEAD_CONTEXT: new URL(east.url).host };
  expect((await cli.run(["whoami"], { variables })).stdout).toContain(east.url);
  expect(await cli.run(["whoami", "--context", "north"])).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("CLI_CONTEXT_UNKNOWN"),
  });
});
