// `fairlead-hub admin-token new` as an administrator types it who has lost every way in.
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AccessBindingList, AuditList, Session } from "@fairlead/contract";
import { waitUntil } from "@fairlead/kernel/testing";
import { programArgs, runCommand, startHub, type TestHub } from "@fairlead/testkit";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { call, type TestAnswer } from "./hub.fixture.ts";
import { startTcpServer, type TcpServer } from "./platform/store/database/tcp-server.fixture.ts";
import { openStore } from "./platform/store/index.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-admin-token-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("a new admin token", () => {
  let hub: TestHub;
  beforeAll(async () => {
    hub = await startHub();
  }, 240_000);
  afterAll(() => hub[Symbol.asyncDispose]());

  it("is good at once at the hub that serves, beside the former one, and on record", async () => {
    const made = await makeToken(hub);
    expect(made.stderr).toBe("fairlead-hub: made a new admin token; the hub takes it from now on\n");
    expect(await statuses(hub, made.token, hub.adminToken)).toEqual([200, 200]);
    const [record] = await readRecords(hub, made.token);
    expect(record).toMatchObject({ verb: "create", who: { kind: "hub", name: "fairlead-hub admin-token new" } });
    expect((await ask(hub, made.token, "/api/v1/audit/verify")).json).toMatchObject({ ok: true });
    expect(JSON.stringify(record)).not.toContain(made.token.slice(4));
    const log = await readFile(hub.logFile, "utf8");
    expect(log).not.toContain(made.token);
  });

  it("ends the former ones if told to, with what is open by them, at the hub that serves", async () => {
    const former = (await makeToken(hub)).token;
    const session = (await ask(hub, former, "/api/v1/sessions", "POST")).json as Session;
    const open = await openStream(hub, session.accessToken);
    const made = await makeToken(hub, ["--revoke-others"]);
    expect(made.stderr).toMatch(/former admin tokens that ended: [23]; the hub takes it/);
    await open.closed;
    expect(await statuses(hub, made.token, former, session.accessToken, hub.adminToken)).toEqual([200, 401, 401, 401]);
    const isRecorded = async (): Promise<boolean> =>
      (await readRecords(hub, made.token)).some(({ verb }) => verb === "delete");
    await waitUntil(isRecorded, { timeoutMs: 60_000 });
    expect((await readRecords(hub, made.token)).map(({ verb }) => verb)).toContain("delete");
  });

  it("has the role that was taken from the former ones, which don't get it back", async () => {
    const former = (await makeToken(hub)).token;
    const subject = { kind: "user", name: "alice@example.com" };
    await ask(hub, former, "/api/v1/bindings", "POST", { subject, role: "admin", clusters: { all: true } });
    const { items } = (await ask(hub, former, "/api/v1/bindings")).json as AccessBindingList;
    const own = items.find((binding) => binding.subject.kind === "admin-token");
    await ask(hub, former, `/api/v1/bindings/${own?.id}`, "DELETE");
    expect(await statuses(hub, former)).toEqual([403]);
    const made = await makeToken(hub);
    expect(await statuses(hub, made.token, former)).toEqual([200, 401]);
  });

  it("is in a file for its owner alone when one is named, and never over another", async () => {
    const file = join(folder, "admin-token");
    const made = await makeToken(hub, ["--admin-token-out", file]);
    expect([made.code, made.stdout]).toEqual([0, ""]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const token = (await readFile(file, "utf8")).trim();
    expect(await statuses(hub, token)).toEqual([200]);
    const before = (await readRecords(hub, token)).length;
    const again = await makeToken(hub, ["--admin-token-out", file, "--revoke-others"]);
    expect(again).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("(ADMIN_TOKEN_FILE_UNUSABLE)"),
    });
    expect((await readFile(file, "utf8")).trim()).toBe(token);
    expect(await statuses(hub, token)).toEqual([200]);
    expect((await readRecords(hub, token)).length).toBe(before);
  });

  it.each(["TERM", "KILL"] as const)(
    "that was made while no hub served (%s) is good from the next start on, and the former ones aren't",
    async (how) => {
      const former = (await makeToken(hub)).token;
      const session = (await ask(hub, former, "/api/v1/sessions", "POST")).json as Session;
      await hub.stop(how);
      const made = await makeToken(hub, ["--revoke-others"]);
      expect(made.stderr).toContain("no hub has taken it yet");
      await hub.start();
      expect(await statuses(hub, made.token, former, session.accessToken)).toEqual([200, 401, 401]);
      const verbs = (await readRecords(hub, made.token)).map(({ verb }) => verb);
      expect(verbs).toEqual(expect.arrayContaining(["create", "delete"]));
      expect(await readFile(hub.logFile, "utf8")).not.toContain(made.token);
    },
    240_000,
  );
}, 240_000);

describe("a new admin token in a database", () => {
  let server: TcpServer;
  beforeAll(async () => {
    server = await startTcpServer();
  }, 120_000);
  afterAll(() => server[Symbol.asyncDispose]());

  it("is good at once at the hub that uses it", async () => {
    const url = server.url();
    await using hub = await startHub({ env: { FAIRLEAD_HUB_DATABASE_URL: url } });
    const file = join(folder, "url");
    await writeFile(file, url, { mode: 0o600 });
    const made = await makeToken(hub, ["--database-url-file", file]);
    expect(made.stderr).toContain("the hub takes it from now on");
    expect(await statuses(hub, made.token)).toEqual([200]);
  }, 240_000);

  it.each([
    ["an older hub", "delete from migration where name like '0001%'", "STORE_OLDER"],
    [
      "a newer hub",
      "insert into migration (name, applied_at, floor) values ('9999-later.sql', now(), 9999)",
      "STORE_NEWER",
    ],
    ["nobody", "drop table migration", "STORE_ABSENT"],
  ])("of %s isn't made", async (_, change, code) => {
    const database = `db_${crypto.randomUUID().replaceAll("-", "")}`;
    await server.run(`create database ${database} owner hub`);
    const url = server.url({ database });
    {
      await using __ = await openStore({ database: { source: { kind: "url", url }, connections: 4 } });
    }
    await server.run(change, database);
    const file = join(folder, database);
    await writeFile(file, url, { mode: 0o600 });
    const made = await run(["--database-url-file", file]);
    expect(made).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(`(${code})`) });
    expect(await server.run("select from admin_token", database)).toEqual([]);
  });
});

test("a folder that holds no hub's data gets none, and stays as it is", async () => {
  const made = await run(["--data-dir", join(folder, "elsewhere")]);
  expect(made).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("(STORE_ABSENT)") });
  await expect(stat(join(folder, "elsewhere"))).rejects.toThrow("ENOENT");
});

test.each([
  [["admin-token"], "CONFIG_COMMAND_UNKNOWN"],
  [["admin-token", "old"], "CONFIG_COMMAND_UNKNOWN"],
  [["admin-token", "new", "--in-memory"], "CONFIG_INVALID"],
  [["admin-token", "new", "--to", "x"], "CONFIG_INVALID"],
  [["serve", "--revoke-others"], "CONFIG_INVALID"],
])("%j is refused", async (args, code) => {
  const { stderr } = await runCommand(process.execPath, [...programArgs("hub"), ...args], { allowFailure: true });
  expect(stderr).toContain(`(${code})`);
});

async function makeToken(
  { dataDir }: TestHub,
  args: readonly string[] = [],
): Promise<Awaited<ReturnType<typeof run>> & { readonly token: string }> {
  const made = await run(["--data-dir", dataDir, ...args]);
  return { ...made, token: /^(fla_[0-9a-z]{52})\n$/.exec(made.stdout)?.[1] ?? "none" };
}

function run(args: readonly string[]): ReturnType<typeof runCommand> {
  return runCommand(process.execPath, [...programArgs("hub"), "admin-token", "new", ...args], { allowFailure: true });
}

async function statuses(hub: TestHub, ...tokens: readonly string[]): Promise<(number | undefined)[]> {
  const answers = await Promise.all(tokens.map((token) => ask(hub, token, "/api/v1/bindings")));
  return answers.map(({ status }) => status);
}

async function readRecords(hub: TestHub, token: string): Promise<AuditList["items"]> {
  const { json } = await ask(hub, token, "/api/v1/audit?limit=1000");
  return (json as AuditList).items.filter(({ resource }) => resource === "admin-tokens");
}

function ask({ url }: TestHub, token: string, path: string, method = "GET", body?: object): Promise<TestAnswer> {
  const headers = { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) };
  return call(url, path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
}

/** Goes on until someone ends it. */
async function openStream({ url }: TestHub, token: string): Promise<{ readonly closed: Promise<unknown> }> {
  const agent = new Agent({ keepAlive: false, rejectUnauthorized: false });
  const client = request(`${url}/api/v1/audit/stream`, { agent, headers: { authorization: `Bearer ${token}` } });
  client.end();
  const [answer] = (await once(client, "response")) as [IncomingMessage];
  expect(answer.statusCode).toBe(200);
  answer.on("error", () => undefined).resume();
  return { closed: once(answer, "close") };
}
