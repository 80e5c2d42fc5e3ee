import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { systemClock } from "@fairlead/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { childEnvironment } from "./environment.ts";
import { findProgram } from "./find-program.ts";
import { type ProcessOptions, runProcess } from "./run-process.ts";
import { openWorkFolder, removeWorkFolders } from "./work-folder.ts";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "fairlead-processes-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("gives back the exit code and what the program said", async () => {
  const stderr: string[] = [];
  const script = "cat; echo trouble >&2; exit 7";
  const result = await run(script, { stdin: "said\n", onStderr: (line) => stderr.push(line) });
  expect(result.exitCode).toBe(7);
  expect(result.stdout.toString()).toBe("said\n");
  expect(stderr).toEqual(["trouble"]);
});

test("scenario 14: cuts a line of 5 MB into pieces, and keeps split UTF-8 whole", async () => {
  const lines: string[] = [];
  const script = `head -c 5000000 /dev/zero | tr '\\0' x; printf '\\303'; sleep 0.1; printf '\\244 \\377 end'`;
  await run(script, { onStdout: (line) => lines.push(line) });
  expect(lines.length).toBeGreaterThan(70);
  expect(Math.max(...lines.map((line) => line.length))).toBe(64 * 1024);
  expect(lines.join("")).toBe(`${"x".repeat(5_000_000)}ä \u{fffd} end`);
});

test("refuses to gather more than it has room for", async () => {
  await expect(run("yes")).rejects.toMatchObject({ code: "PROCESS_OUTPUT_TOO_LARGE" });
});

test("stops a program in steps: SIGINT, then SIGTERM, then SIGKILL", async () => {
  const heard: string[] = [];
  const stop = new AbortController();
  // A sleep in the group dies of each signal; the shell goes on until it can't.
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

test("never kills a program that must end by itself", async () => {
  const stop = new AbortController();
  const script = `trap '' INT; trap 'sleep 0.4; echo put right; exit 0' TERM; echo up; while :; do sleep 0.05; done`;
  const lines: string[] = [];
  const result = await run(script, {
    onStdout: (line) => {
      lines.push(line);
      if (line === "up") stop.abort();
    },
    forced: stop.signal,
    pace: { interruptMs: 1, terminateMs: "never" },
  });
  expect(lines).toEqual(["up", "put right"]);
  expect(result.exitCode).toBe(0);
});

test("leaves nothing of the group behind", async () => {
  const { stdout } = await run("(trap '' TERM INT; sleep 300) >/dev/null 2>&1 & echo $!");
  const left = Number(stdout.toString());
  expect(left).toBeGreaterThan(1);
  expect(await untilDead(left)).toBe(true);
});

test("a program ends when the agent is killed", { timeout: 30_000 }, async () => {
  const script = `
    import { systemClock } from "@fairlead/kernel";
    import { findProgram, runProcess } from ${JSON.stringify(new URL("./index.ts", import.meta.url).pathname)};
    const never = new AbortController().signal;
    await runProcess({
      program: await findProgram("sh", process.env.PATH), args: ["-c", "echo $$; exec sleep 300"], folder: "/",
      environment: {}, onStdout: (line) => console.log(line), onStderr: () => undefined, signal: never, forced: never,
      pace: { interruptMs: 1000, terminateMs: "never" }, clock: systemClock,
    });`;
  const agent = spawn(process.execPath, ["--conditions=@fairlead/source", "--input-type=module", "-e", script], {
    cwd: new URL(".", import.meta.url).pathname,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const child = await new Promise<number>((resolve) => agent.stdout.once("data", (said) => resolve(Number(said))));
  expect(isAlive(child)).toBe(true);
  agent.kill("SIGKILL");
  expect(await untilDead(child)).toBe(true);
});

test("scenario 29: a process of it that takes more memory than it may have gets none, and the others go on", async () => {
  const stderr: string[] = [];
  const hog = "head -c 400000000 /dev/zero | tail -c 400000000 | wc -c";
  const { exitCode, stdout } = await run(`${hog}; echo after`, {
    memoryBytes: 64 * 1024 * 1024,
    onStderr: (line) => stderr.push(line),
  });
  expect([exitCode, stdout.toString()]).toEqual([0, "0\nafter\n"]);
  expect(stderr.join("\n")).toMatch(/memory/i);
});

test("where memory ends all the same, the kernel takes programs before it takes the agent", async ({ skip }) => {
  const own = await readFile("/proc/self/oom_score_adj", "utf8").catch(() => undefined);
  if (own === undefined) return skip("this system has no such score");
  const { stdout } = await run("cat /proc/self/oom_score_adj");
  expect([stdout.toString(), await readFile("/proc/self/oom_score_adj", "utf8")]).toEqual(["1000\n", own]);
});

test("a child has nothing of the agent's environment but the ways out", async () => {
  const from = {
    PATH: process.env["PATH"],
    FAIRLEAD_TOKEN: "secret",
    https_proxy: "http://proxy",
    KUBECONFIG: "/mine",
  };
  const environment = childEnvironment({ from, home: folder, temporary: folder, also: { HELM_DEBUG: "0" } });
  const { stdout } = await run("env", { environment });
  const names = stdout
    .toString()
    .split("\n")
    .map((line) => line.split("=")[0]);
  expect(names).toContain("https_proxy");
  expect(names).toContain("HELM_DEBUG");
  expect(stdout.toString()).not.toMatch(/secret|mine/);
});

test("says what program is missing", async () => {
  await expect(findProgram("no-such-program", "/bin:relative:/nowhere")).rejects.toMatchObject({
    code: "PROCESS_PROGRAM_MISSING",
  });
});

test("a folder of one run goes with it; what a dead agent left goes at the start", async () => {
  const left = await openWorkFolder(folder);
  await using next = await openWorkFolder(folder);
  expect(next.path).not.toBe(left.path);
  await removeWorkFolders(folder);
  await expect(run("true", { folder: left.path })).rejects.toMatchObject({ code: "PROCESS_NOT_STARTED" });
});

async function run(script: string, options: Partial<ProcessOptions> = {}) {
  const never = new AbortController().signal;
  return await runProcess({
    program: await findProgram("sh", process.env["PATH"]),
    args: ["-c", script],
    folder,
    environment: { PATH: process.env["PATH"] ?? "" },
    onStderr: () => undefined,
    signal: never,
    forced: never,
    pace: { interruptMs: 1_000, terminateMs: 1_000 },
    clock: systemClock,
    ...options,
  });
}

/** A process that only waits for its parent to take its exit code isn't alive. */
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

async function untilDead(pid: number): Promise<boolean> {
  for (let i = 0; i < 150 && isAlive(pid); i++) await wait(100);
  return !isAlive(pid);
}
