import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { findHubContext } from "../config/index.ts";
import { type Cli, createCli } from "../testing/cli.fixture.ts";
import { type ContractHub, hubNow, startContractHub } from "../testing/hub.fixture.ts";
import { useSession } from "./use-session.ts";

const minuteMs = 60_000;

function refreshes(hub: ContractHub): number {
  return hub.requests.filter(({ line }) => line === "POST /api/v1/sessions/refresh").length;
}

function use(cli: Cli, atMs: number, signal = new AbortController().signal) {
  return useSession({ ref: { file: cli.configFile }, now: () => hubNow + atMs, proxy: {}, signal });
}

test("an access token is used until shortly before its end, and then replaced in the file too", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  const first = await use(cli, 0);

  expect((await use(cli, 13 * minuteMs)).session).toEqual(first.session);
  expect(refreshes(hub)).toBe(0);
  const second = await use(cli, 14.5 * minuteMs);
  expect(second.session.accessToken).not.toBe(first.session.accessToken);
  expect((await findHubContext({ file: cli.configFile }))?.session).toEqual(second.session);
  expect(refreshes(hub)).toBe(1);
});

test("of many at once one refreshes, and the others take what it got", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);

  const all = await Promise.all(Array.from({ length: 8 }, () => use(cli, 20 * minuteMs)));

  expect(new Set(all.map(({ session }) => session.accessToken)).size).toBe(1);
  expect(refreshes(hub)).toBe(1);
});

test("nobody waits for another's refresh while the old token is still good", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  const first = await use(cli, 0);
  const { lockConfigFile } = await import("../config/index.ts");
  await using _ = await lockConfigFile(cli.configFile, { waitMs: 0 });

  expect((await use(cli, 14.5 * minuteMs)).session).toEqual(first.session);
});

test("a reply that is lost on the way is asked for again, and signs nobody out", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  hub.repliesToLose = 2;

  const { session } = await use(cli, 20 * minuteMs);

  expect(refreshes(hub)).toBe(3);
  expect(hub.sessions.accessTokens.has(session.accessToken)).toBe(true);
});

test("a hub that is away is no matter while the token is good, and an error that keeps the session afterwards", async () => {
  const hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  const first = await use(cli, 0);
  await hub[Symbol.asyncDispose]();

  expect((await use(cli, 14.5 * minuteMs)).session).toEqual(first.session);
  await expect(use(cli, 15 * minuteMs)).rejects.toMatchObject({ code: "API_UNREACHABLE" });
  expect((await findHubContext({ file: cli.configFile }))?.session).toEqual(first.session);
});

test("a session that the hub has ended is forgotten, and whoever comes next is told to sign in", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  hub.sessions.endAll();

  await expect(use(cli, 20 * minuteMs)).rejects.toMatchObject({ code: "CLI_SESSION_ENDED", httpStatus: 401 });
  await expect(use(cli, 20 * minuteMs)).rejects.toMatchObject({ code: "CLI_SIGNED_OUT", httpStatus: 401 });
  expect(await readFile(cli.configFile, "utf8")).not.toMatch(/fl[sr]_/);
});

test("someone between us and the hub who refuses a call ends no session", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  hub.answer = { status: 401, body: "<h1>Proxy: who are you?</h1>" };

  await expect(use(cli, 20 * minuteMs)).rejects.toMatchObject({ code: "API_ANSWER_FOREIGN" });
  expect((await findHubContext({ file: cli.configFile }))?.session).toBeDefined();
});

test("a call that the hub refuses is made again with a new token, once", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  hub.sessions.accessTokens.clear();

  expect(await cli.run(["cluster", "list"])).toMatchObject({ code: 0 });
  expect(hub.requests.map(({ line }) => line)).toEqual([
    "GET /api/v1/clusters",
    "POST /api/v1/sessions/refresh",
    "GET /api/v1/clusters",
    "GET /api/v1/whoami",
  ]);
});

test.each([-60, 60])("a clock that is %i minutes off the hub's changes nothing", async (offMinutes) => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  hub.now = () => hubNow - offMinutes * minuteMs;
  await cli.signIn(hub);
  await use(cli, 14.5 * minuteMs);

  const { session } = await use(cli, 14.5 * minuteMs);

  expect(session.accessTokenExpiresAt - hubNow).toBe(29.5 * minuteMs);
  expect(refreshes(hub)).toBe(1);
});

test("FAIRLEAD_TOKEN is used instead of any session", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);

  await cli.run(["cluster", "list"], { variables: { FAIRLEAD_TOKEN: "flb_robot" } });

  expect(hub.requests.at(-1)?.authorization).toBe("Bearer flb_robot");
  expect(refreshes(hub)).toBe(0);
});
