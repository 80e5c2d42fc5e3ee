// Signals to a hub and its database, in a terminal and under a supervisor.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { waitUntil } from "@fairlead/kernel/testing";
import { endDatabase, programArgs } from "@fairlead/testkit";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";

let folder: string;
let dataDir: string;
let hub: ChildProcess | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-signals-"));
  dataDir = join(folder, "data");
});
afterEach(async () => {
  if (hub?.exitCode === null && hub.signalCode === null) {
    hub.kill("SIGKILL");
    await once(hub, "exit");
  }
  await endDatabase(dataDir);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("Ctrl-C in the hub's terminal ends the hub in order, and the hub ends its database", async () => {
  const output = await startHub("hub is ready");
  const pid = await readServerPid();
  sendToGroup("SIGINT");
  expect(await untilExit()).toBe(0);
  expect(output()).toContain("hub has stopped");
  expect(output()).not.toContain("the database ended");
  const log = await readFile(join(dataDir, "postgres", "server.log"), "utf8");
  expect(log.match(/received .* shutdown request/g)).toEqual(["received fast shutdown request"]);
  expect(log).toContain("database system is shut down");
  expect(await waitUntil(() => !isAlive(pid), { timeoutMs: 10_000 })).toBe(true);
});

test("a second signal ends the hub at once, and the database right after it", async () => {
  const output = await startHub("hub is ready");
  const pid = await readServerPid();
  // It waits for this request.
  const [, port] = /"listen":"https:\/\/[^"]*:(\d+)"/.exec(output()) ?? [];
  const request = connect({ port: Number(port), host: "127.0.0.1", rejectUnauthorized: false });
  request.on("error", () => undefined);
  await once(request, "secureConnect");
  request.write(
    "POST /api/v1/session HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{",
  );
  sendToGroup("SIGTERM");
  expect(await waitUntil(() => output().includes("hub is stopping"), { timeoutMs: 20_000 })).toBe(true);
  sendToGroup("SIGTERM");
  expect(await untilExit()).toBe(143);
  expect(await waitUntil(() => !isAlive(pid), { timeoutMs: 20_000 })).toBe(true);
  request.destroy();
});

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("%s while the hub starts leaves no database", async (signal) => {
  await startHub("");
  expect(await waitUntil(async () => (await readServerPid()) > 0, { timeoutMs: 60_000, intervalMs: 5 })).toBe(true);
  const pid = await readServerPid();
  hub?.kill(signal);
  await untilExit();
  expect(await waitUntil(() => !isAlive(pid), { timeoutMs: 20_000 })).toBe(true);
});

test.runIf(process.getuid?.() === 0)("a hub that is process 1 of its container stops in order, too", async () => {
  const output = await startHub("hub is ready", [
    "/usr/bin/unshare",
    "--pid",
    "--fork",
    "--kill-child",
    "--mount-proc",
  ]);
  const outer = hub?.pid ?? 0;
  const inner = Number(readFileSync(`/proc/${outer}/task/${outer}/children`, "utf8"));
  process.kill(inner, "SIGTERM");
  expect(await untilExit()).toBe(0);
  expect(output()).toContain("hub has stopped");
  const log = await readFile(join(dataDir, "postgres", "server.log"), "utf8");
  expect(log).toContain("database system is shut down");
});

/** In a group of its own, as a shell starts it, with the database in another. Waits until it has logged the text. */
async function startHub(text: string, launcher: readonly string[] = []): Promise<() => string> {
  const listen = ["--listen", "127.0.0.1:0", "--agent-listen", "127.0.0.1:0"];
  const [command = "", ...args] = [
    ...launcher,
    process.execPath,
    ...programArgs("hub"),
    "--data-dir",
    dataDir,
    ...listen,
    "--drain",
    "1m",
  ];
  const started = spawn(command, args, { detached: true, stdio: ["ignore", "pipe", "pipe"] });
  hub = started;
  let output = "";
  for (const stream of [started.stdout, started.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
    });
  }
  let isOver = false;
  started.once("close", () => {
    isOver = true;
  });
  await waitUntil(() => output.includes(text) || isOver, { timeoutMs: 60_000 });
  expect(output).toContain(text);
  return () => output;
}

function sendToGroup(signal: NodeJS.Signals): void {
  process.kill(-(hub?.pid ?? 0), signal);
}

async function untilExit(): Promise<number | null> {
  if (hub?.exitCode === null && hub.signalCode === null) await once(hub, "exit");
  return hub?.exitCode ?? null;
}

/** 0 when no server has told its pid. */
async function readServerPid(): Promise<number> {
  const text = await readFile(join(dataDir, "postgres", "18", "postmaster.pid"), "utf8").catch(() => "");
  return Number(text.split("\n")[0]);
}

/** Ended and not reaped yet doesn't count. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
