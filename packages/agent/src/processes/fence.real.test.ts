// A program in a fence runs as one without does, for whoever runs it.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@fairlead/kernel";
import { until } from "@fairlead/kernel/testing";
import { ensureTools } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Fence } from "./fence.ts";
import { findProgram } from "./find-program.ts";
import { openFence } from "./open-fence.ts";
import { type ProcessOptions, runProcess } from "./run-process.ts";
import { openWorkFolder } from "./work-folder.ts";

let folder = "";
let fence: Fence;
const uids = { first: 64_000, last: 64_003 };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "fairlead-fence-"));
  const { runner } = await ensureTools(["runner"]);
  fence = await openFence({
    settings: { program: runner, socket: undefined, uids },
    folder,
    environment: process.env,
    signal: new AbortController().signal,
    clock: systemClock,
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("gives back the exit code and what the program said", async () => {
  const stderr: string[] = [];
  const script = "cat; echo trouble >&2; exit 7";
  const result = await run(script, { stdin: "said\n", onStderr: (line) => stderr.push(line) });
  expect([result.exitCode, result.stdout.toString(), stderr]).toEqual([7, "said\n", ["trouble"]]);
});

test("output of 5 MB comes whole, and a slow reader holds the program up", async () => {
  const { stdout } = await run("head -c 5000000 /dev/zero | tr '\\0' x");
  expect(stdout.length).toBe(5_000_000);
  let waits = 0;
  const lines: string[] = [];
  await run("seq 1 20000", {
    onStdout: (line) => lines.push(line),
    untilRoom: () => (waits++ < 3 ? new Promise((resolve) => setTimeout(resolve, 50)) : undefined),
  });
  expect([lines.length, lines.at(-1)]).toEqual([20_000, "20000"]);
});

test("refuses to gather more than it has room for", async () => {
  await expect(run("yes")).rejects.toMatchObject({ code: "PROCESS_OUTPUT_TOO_LARGE" });
});

test("stops a program in steps: SIGINT, then SIGTERM, then SIGKILL", async () => {
  const heard: string[] = [];
  const stop = new AbortController();
  const script = `trap 'echo INT' INT; trap 'echo TERM' TERM; echo up; while :; do sleep 0.05; done`;
  const result = await run(script, {
    onStdout: (line) => {
      heard.push(line);
      if (line === "up") stop.abort();
    },
    signal: stop.signal,
    pace: { interruptMs: 300, terminateMs: 300 },
  });
  expect(heard).toEqual(["up", "INT", "TERM"]);
  expect(result.exitCode).toBe(137);
});

test("writes to its own folder alone, as another user, and finds neither other runs nor the agent's files", async () => {
  mkdirSync(join(folder, "other"));
  writeFileSync(join(folder, "other", "run"), "a secret of others");
  const script = `id -u; echo mine >file; cat file; ls -A ..; cat ../other/run ${process.argv[1]}; ls /proc | grep -c '^[0-9]'`;
  const { stdout } = await run(script);
  const [uid, text, ...rest] = stdout.toString().trim().split("\n");
  expect(text).toBe("mine");
  if (process.getuid?.() === 0) expect(Number(uid)).toBeGreaterThanOrEqual(uids.first);
  expect(rest.slice(0, -1).join()).not.toMatch(/secret|other/);
  expect(Number(rest.at(-1))).toBeLessThan(10);
});

test("a program ends when the agent is killed", { timeout: 60_000 }, async () => {
  const script = `
    import { systemClock } from "@fairlead/kernel";
    import { findProgram, openFence, openWorkFolder, runProcess } from ${JSON.stringify(new URL("./index.ts", import.meta.url).pathname)};
    const signal = new AbortController().signal;
    const fence = await openFence({ settings: { program: ${JSON.stringify(fence.program)}, uids: { first: 65110, last: 65110 } },
      folder: ${JSON.stringify(folder)}, environment: process.env, signal, clock: systemClock });
    const work = await openWorkFolder(fence.folder);
    await runProcess({
      program: await findProgram("sh", process.env.PATH), args: ["-c", "echo up; sleep 300 & exec sleep 301"], folder: work.path,
      environment: {}, onStdout: (line) => console.log(line), onStderr: console.error, signal, forced: signal,
      fence: { place: await fence.enter(signal), write: [work.path], read: [], ports: [] },
      pace: { interruptMs: 1000, terminateMs: "never" }, clock: systemClock,
    });`;
  const agent = spawn(process.execPath, ["--conditions=@fairlead/source", "--input-type=module", "-e", script], {
    cwd: new URL(".", import.meta.url).pathname,
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise((resolve) => agent.stdout.once("data", resolve));
  const sleeping = async (): Promise<number> => {
    const found = spawn("pgrep", ["-c", "-u", "65110"], { stdio: ["ignore", "pipe", "ignore"] });
    return await new Promise((resolve) => found.stdout.once("data", (said) => resolve(Number(said))));
  };
  if (process.getuid?.() === 0) expect(await sleeping()).toBeGreaterThan(0);
  agent.kill("SIGKILL");
  await until(async () => (await sleeping()) === 0, "nothing of it runs", { timeoutMs: 40_000 });
});

test("a missing runner says so", async () => {
  const settings = { program: undefined, socket: undefined, uids };
  const opening = openFence({
    settings,
    folder,
    environment: { PATH: "/nowhere" },
    signal: new AbortController().signal,
    clock: systemClock,
  });
  await expect(opening).rejects.toMatchObject({ code: "FENCE_MISSING" });
});

async function run(script: string, options: Partial<ProcessOptions> = {}) {
  const never = new AbortController().signal;
  await using work = await openWorkFolder(folder);
  using place = await fence.enter(never);
  return await runProcess({
    program: await findProgram("sh", process.env["PATH"]),
    args: ["-c", script],
    folder: work.path,
    environment: { PATH: process.env["PATH"] ?? "" },
    onStderr: () => undefined,
    signal: never,
    forced: never,
    pace: { interruptMs: 1_000, terminateMs: 1_000 },
    fence: { place, write: [work.path], read: [], ports: [] },
    clock: systemClock,
    ...options,
  });
}
