// Hubs with --in-memory, as processes with nothing on PATH, that are killed.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitUntil } from "@fairlead/kernel/testing";
import { endDatabase, programArgs } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readPid } from "../postgres/pid-file.ts";
import { markProcess } from "./process-mark.ts";

let tmp: string;
const started: ChildProcess[] = [];
beforeAll(async () => {
  tmp = await mkdtemp(join(tmpdir(), "fl-thrown-"));
  // Like /tmp: a root's database runs as somebody else.
  await chmod(tmp, 0o711);
});
afterAll(async () => {
  for (const hub of started) await kill(hub);
  for (const name of await readdir(tmp)) await endDatabase(join(tmp, name));
  await rm(tmp, { recursive: true, force: true });
});

test("a killed hub's database ends and its folder goes, by itself or by the next hub, and others stay", async () => {
  const first = await startHub();
  const second = await startHub();
  expect(await readdir(tmp)).toHaveLength(2);
  await kill(first.hub);
  await untilGone(first);
  expect(await isThere(second)).toBe(true);

  // As in a container, where all end together and the folder stays. Here the database stays, too.
  for (const pid of await childrenOf(second.hub)) {
    if ((await readFile(`/proc/${pid}/cmdline`, "utf8")).includes("end-throwaway")) process.kill(pid, "SIGKILL");
  }
  await kill(second.hub);
  const third = await startHub();
  await untilGone(second);
  expect(await isThere(third)).toBe(true);

  const ended = once(third.hub, "exit");
  third.hub.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  expect(await readdir(tmp)).toEqual([]);
  expect(await markProcess(third.server)).toBeUndefined();
});

interface Started {
  readonly hub: ChildProcess;
  readonly folder: string;
  readonly server: number;
}

async function startHub(): Promise<Started> {
  const before = await readdir(tmp);
  const args = ["--in-memory", "--listen", "127.0.0.1:0", "--agent-listen", "127.0.0.1:0"];
  const hub = spawn(process.execPath, [...programArgs("hub"), ...args], {
    env: { PATH: "", TMPDIR: tmp },
    stdio: ["ignore", "pipe", "pipe"],
  });
  started.push(hub);
  let log = "";
  for (const stream of [hub.stdout, hub.stderr]) stream.on("data", (chunk: Buffer) => (log += chunk));
  await waitUntil(() => log.includes("hub is ready") || hub.exitCode !== null, { timeoutMs: 60_000 });
  expect(log).toContain("hub is ready");
  const [name = ""] = (await readdir(tmp)).filter((each) => !before.includes(each));
  const folder = join(tmp, name);
  return { hub, folder, server: (await readPid(join(folder, "postgres", "18"))) ?? 0 };
}

async function kill(hub: ChildProcess): Promise<void> {
  if (hub.exitCode !== null || hub.signalCode !== null) return;
  const ended = once(hub, "exit");
  hub.kill("SIGKILL");
  await ended;
}

async function untilGone({ folder, server }: Started): Promise<void> {
  const isGone = async () =>
    !(await readdir(tmp)).some((name) => folder.endsWith(name)) && (await markProcess(server)) === undefined;
  expect(await waitUntil(isGone, { timeoutMs: 30_000, intervalMs: 50 })).toBe(true);
}

async function isThere({ folder, server }: Started): Promise<boolean> {
  return (await readdir(folder)).includes("hub.lock") && (await markProcess(server)) !== undefined;
}

async function childrenOf({ pid }: ChildProcess): Promise<readonly number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text.trim().split(" ").map(Number);
}
