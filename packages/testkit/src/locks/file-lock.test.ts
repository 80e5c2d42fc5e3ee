import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { tryFileLock, waitForFileLock } from "./file-lock.ts";
import { thisProcess } from "./process-identity.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "file-lock-"));
});
afterEach(() => rm(folder, { recursive: true }));

describe("file lock", () => {
  it("is given to one holder at a time and can be taken again after release", async () => {
    const path = join(folder, "lock");
    const first = await tryFileLock(path);
    expect(first).toBeDefined();
    expect(await tryFileLock(path)).toBeUndefined();
    await first?.[Symbol.asyncDispose]();
    expect(await tryFileLock(path)).toBeDefined();
    expect(await readdir(folder)).toEqual(["lock"]);
  });

  it("is taken over from a holder that is dead", async () => {
    const path = join(folder, "lock");
    const child = fork(join(import.meta.dirname, "hold-lock.fixture.ts"), [path], {
      execArgv: ["--conditions=@fairlead/source"],
    });
    await once(child, "message");
    expect(await tryFileLock(path)).toBeUndefined();
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(await tryFileLock(path)).toBeDefined();
  });

  it("is taken over when the holder's pid now belongs to another process", async () => {
    const path = join(folder, "lock");
    await writeFile(path, JSON.stringify({ pid: process.pid, startTime: `${thisProcess.startTime}0` }));
    expect(await tryFileLock(path)).toBeDefined();
  });

  it("is taken over when its file is damaged", async () => {
    const path = join(folder, "lock");
    await writeFile(path, "{");
    expect(await tryFileLock(path)).toBeDefined();
  });

  it("leaves a lock alone that somebody else took meanwhile", async () => {
    const path = join(folder, "lock");
    const first = await tryFileLock(path);
    await rm(path);
    await tryFileLock(path);
    await first?.[Symbol.asyncDispose]();
    expect(await readdir(folder)).toEqual(["lock"]);
  });

  it("keeps many processes from working at the same time", async () => {
    const counter = join(folder, "counter");
    await writeFile(counter, "0");
    const rounds = 10;
    const children = Array.from({ length: 4 }, () =>
      fork(join(import.meta.dirname, "hold-lock.fixture.ts"), [join(folder, "lock"), counter, String(rounds)], {
        execArgv: ["--conditions=@fairlead/source"],
      }),
    );
    const codes = await Promise.all(children.map(async (child) => (await once(child, "exit"))[0]));
    expect(codes).toEqual([0, 0, 0, 0]);
    expect(await readFile(counter, "utf8")).toBe(String(4 * rounds));
  });

  it("gives up waiting with an error that names the file", async () => {
    const path = join(folder, "lock");
    await tryFileLock(path);
    const waiting = waitForFileLock({ path, timeoutMs: 50, pollMs: 10 });
    await expect(waiting).rejects.toMatchObject({ code: "TOOLS_LOCK_TIMEOUT", message: expect.stringContaining(path) });
  });
});
