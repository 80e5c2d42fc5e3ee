// The first admin's token of a whole hub that is killed, also between making the token and showing it.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitUntil } from "@fairlead/kernel/testing";
import { programArgs } from "@fairlead/testkit";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { call } from "../../../hub.fixture.ts";
import { startTcpServer, type TcpServer } from "../../../platform/store/database/tcp-server.fixture.ts";
import { openStore } from "../../../platform/store/index.ts";

let server: TcpServer;
let folder: string;
let database: string;
let hub: ChildProcess | undefined;
beforeAll(async () => {
  server = await startTcpServer();
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-first-token-"));
  database = `first_${crypto.randomUUID().replaceAll("-", "")}`;
  await server.run(`create database ${database} owner hub`);
});
afterEach(async () => {
  await kill();
  await rm(folder, { recursive: true, force: true });
});
afterAll(() => server[Symbol.asyncDispose]());

test("a hub that is killed before it shows the token shows another one at its next start", async () => {
  await killBeforeItShows();
  const { token, tryIn } = await start();
  expect(await tryIn(token)).toBe(200);
});

test("so does one that is killed before it writes the token to its file", async () => {
  const file = join(folder, "admin-token");
  const args = ["--admin-token-out", file];
  await killBeforeItShows(args);
  const { token } = await start(args);
  expect(token).toBeUndefined();
  const written = (await readFile(file, "utf8")).trim();
  await kill();
  const again = await start(args);
  expect([again.token, (await readFile(file, "utf8")).trim()]).toEqual([undefined, written]);
  expect(await again.tryIn(written)).toBe(200);
});

test("a token that was shown and not used is replaced by the next start", async () => {
  const first = await start();
  await kill();
  const second = await start();
  expect(await second.tryIn(first.token)).toBe(401);
  expect(await second.tryIn(second.token)).toBe(200);
});

test("once it was used no start shows any, however the hub ended, and it stays good", async () => {
  const first = await start();
  expect(await first.tryIn(first.token)).toBe(200);
  for (let round = 0; round < 2; round += 1) {
    await kill();
    const next = await start();
    expect(next.token).toBeUndefined();
    expect(await next.tryIn(first.token)).toBe(200);
  }
});

interface Started {
  /** As it was shown. */
  readonly token: string | undefined;
  /** The status of a request with the token. */
  tryIn(token: string | undefined): Promise<number | undefined>;
}

async function start(args: readonly string[] = []): Promise<Started> {
  const output = run(args);
  await waitUntil(() => output().includes("hub is ready") || hub?.exitCode !== null, { timeoutMs: 120_000 });
  expect(output(), output()).toContain("hub is ready");
  const [, url = ""] = /"listen":"(https:[^"]+)"/.exec(output()) ?? [];
  return {
    token: findToken(output()),
    async tryIn(token) {
      const answer = await call(url, "/api/v1/whoami", { headers: { authorization: `Bearer ${token}` } });
      return answer.status;
    },
  };
}

/** A lock holds the start up right after the token was made. */
async function killBeforeItShows(args: readonly string[] = []): Promise<void> {
  {
    // The tables.
    await using _ = await openStore({
      database: { source: { kind: "url", url: server.url({ database }) }, connections: 4 },
    });
  }
  const holder = new Client({ ...server.admin, database });
  await holder.connect();
  try {
    await holder.query("begin");
    await holder.query("lock table access_role in access exclusive mode");
    const output = run(args);
    const isHeldUp = async (): Promise<boolean> =>
      hub?.exitCode !== null || (await server.run(waiting, database)).length > 0;
    await waitUntil(isHeldUp, { timeoutMs: 120_000 });
    expect(hub?.exitCode, output()).toBeNull();
    expect(await server.run("select used_at from admin_token", database)).toEqual([{ used_at: null }]);
    await kill();
    expect(findToken(output())).toBeUndefined();
  } finally {
    await holder.end();
  }
}

const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

function run(args: readonly string[]): () => string {
  const listen = ["--listen", "127.0.0.1:0", "--agent-listen", "127.0.0.1:0"];
  const where = ["--data-dir", join(folder, "data")];
  const started = spawn(process.execPath, [...programArgs("hub"), ...where, ...listen, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, FAIRLEAD_HUB_DATABASE_URL: server.url({ database }) },
  });
  hub = started;
  let output = "";
  for (const stream of [started.stdout, started.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
    });
  }
  return () => output;
}

async function kill(): Promise<void> {
  if (hub?.exitCode !== null || hub.signalCode !== null) return;
  hub.kill("SIGKILL");
  await once(hub, "close");
}

function findToken(output: string): string | undefined {
  return /\bfla_[0-9a-z]+/.exec(output)?.[0];
}
