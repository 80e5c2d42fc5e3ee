import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readlinkSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { waitUntil } from "@fairlead/kernel/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ensureTools } from "../tools/index.ts";
import { startProcess } from "./start-process.ts";

let folder: string;
beforeEach(async () => {
  await ensureTools(["leash"]);
  folder = await mkdtemp(join(tmpdir(), "start-process-"));
});
afterEach(() => rm(folder ?? "", { recursive: true, force: true }));

const shell = (script: string) => ({
  name: "script",
  command: "sh",
  args: ["-c", script],
  logFile: join(folder, "log"),
});

describe("a process on the leash", () => {
  it("is ready when the check holds, and writes its log", async () => {
    await using running = await startProcess({
      ...shell("sleep 0.2; echo up; sleep 60"),
      readyWhen: async ({ logTail }) => (await logTail()).includes("up"),
    });
    expect(running.hasExited).toBe(false);
    expect(await readFile(running.logFile, "utf8")).toBe("up\n");
  });

  it("tells its exit code", async () => {
    const running = await startProcess(shell("exit 3"));
    expect(await running.exited).toEqual({ code: 3 });
  });

  it("that ends before it is ready is an error with its last words", async () => {
    const starting = startProcess({ ...shell("echo no disk; exit 9"), readyWhen: () => false });
    await expect(starting).rejects.toMatchObject({
      code: "TESTKIT_PROCESS_FAILED",
      message: expect.stringMatching(/ended with code 9.*no disk/s),
    });
  });

  it("that never gets ready is stopped, and an error", async () => {
    let pid = 0;
    const readyWhen = (running: { pid: number }) => {
      pid = running.pid;
      return false;
    };
    const starting = startProcess({ ...shell("sleep 60"), readyWhen, readyTimeoutMs: 200 });
    await expect(starting).rejects.toMatchObject({ code: "TESTKIT_NOT_READY" });
    expect(existsSync(`/proc/${pid}`)).toBe(false);
  });

  it("that does not exist is an error that names it", async () => {
    const starting = startProcess({ ...shell(""), command: "no-such-program" });
    await expect(starting).rejects.toMatchObject({ message: expect.stringContaining("no-such-program") });
  });

  it("is killed when it ignores TERM, and so is what it moved into a session of its own", async () => {
    const running = await startProcess({
      ...shell("trap '' TERM; setsid sleep 7321 & echo $!; while :; do sleep 1; done"),
      readyWhen: async ({ logTail }) => (await logTail()).includes("\n"),
    });
    const stray = Number(await running.logTail());
    expect(existsSync(`/proc/${stray}`)).toBe(true);
    expect(await running.stop({ graceMs: 300 })).toMatchObject({ code: 137 });
    expect(existsSync(`/proc/${stray}`)).toBe(false);
  });

  it("gets nothing of this process's environment but PATH", async () => {
    const running = await startProcess({ ...shell("env"), env: { GIVEN: "yes" } });
    await running.exited;
    const names = (await running.logTail()).split("\n").map((line) => line.split("=")[0]);
    expect(names.filter((name) => !["", "PATH", "GIVEN", "PWD", "OLDPWD", "SHLVL", "_"].includes(name ?? ""))).toEqual(
      [],
    );
  });
});

describe("when a test run is killed", () => {
  it.each([
    ["SIGKILL", "cluster", 7],
    ["SIGTERM", "process", 2],
    ["SIGINT", "process", 2],
  ] as const)("by %s, no process of its %s survives", async (signal, what, count) => {
    await ensureTools(["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok", "podserver"]);
    const owner = join(import.meta.dirname, `${what}-owner.fixture.ts`);
    const run = spawn(process.execPath, ["--conditions=@fairlead/source", owner], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const report = await firstLine(run);
    const { pids, stateDir } = JSON.parse(report) as { pids: Record<string, number>; stateDir: string };
    expect(Object.keys(pids)).toHaveLength(count);
    for (const [name, pid] of Object.entries(pids)) expect(executable(pid), name).toContain(name);
    run.kill(signal);
    await once(run, "exit");
    const survivors = () => Object.entries(pids).filter(([name, pid]) => executable(pid).includes(name));
    await waitUntil(() => survivors().length === 0, { timeoutMs: 10_000 });
    expect(survivors()).toEqual([]);
    await rm(stateDir, { recursive: true, force: true });
  });
});

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("stdout is not a pipe");
  const line = once(createInterface({ input: child.stdout }), "line") as Promise<[string]>;
  const ended = once(child, "exit").then(([code]) => Promise.reject(new Error(`ended with ${code}`)));
  return (await Promise.race([line, ended]))[0];
}

/** A process is known by its program: the pid alone may by now be somebody else's. */
function executable(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return "";
  }
}
