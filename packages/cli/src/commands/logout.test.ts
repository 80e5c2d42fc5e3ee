import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { createCli } from "../testing/cli.fixture.ts";
import { hubToken, startContractHub } from "../testing/hub.fixture.ts";

test("signing out ends the session at the hub and here, and doing so again is no failure", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);

  expect(await cli.run(["logout"])).toMatchObject({ code: 0, stdout: `Signed out of ${hub.url}.\n` });

  expect(hub.sessions.accessTokens.size).toBe(0);
  expect(await readFile(cli.configFile, "utf8")).not.toMatch(/fl[sr]_/);
  expect(await cli.run(["whoami"])).toMatchObject({ code: 3, stderr: expect.stringContaining("CLI_SIGNED_OUT") });
  expect(await cli.run(["logout"])).toMatchObject({ code: 0, stdout: expect.stringContaining("already") });
});

test("a hub that is away isn't told, which is said, but here the session is gone", async () => {
  const hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  await hub[Symbol.asyncDispose]();

  const result = await cli.run(["logout"]);

  expect(result).toMatchObject({ code: 6, stderr: expect.stringContaining("(CLI_LOGOUT_UNTOLD)") });
  expect(await readFile(cli.configFile, "utf8")).not.toMatch(/fl[sr]_/);
});

test("a session that the hub has ended already is signed out of all the same", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  hub.sessions.endAll();

  expect(await cli.run(["logout"], { variables: { FAIRLEAD_TOKEN: "flb_robot" } })).toMatchObject({ code: 0 });
});

test("whoever signs in again is told to do so into the same context, which a kubeconfig may name", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  const login = ["login", hub.url, "--ca-fingerprint", hub.authority.fingerprint, "--context", "robot"];
  await cli.run(login, { stdin: hubToken });
  await cli.run(["logout"]);

  expect((await cli.run(["whoami"])).stderr).toContain(`Run 'fairlead login ${hub.url} --context robot'.`);
});
