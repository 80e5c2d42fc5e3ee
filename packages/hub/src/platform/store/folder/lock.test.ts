import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lockFolder } from "./lock.ts";
import { describeThisProcess } from "./process-mark.ts";

let folder: string;
let lockFile: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-lock-"));
  lockFile = join(folder, "hub.lock");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("the lock on a data folder", () => {
  it("refuses a second owner and names the first one's process", async () => {
    await using _held = await lockFolder(folder);
    const refused = lockFolder(folder);
    await expect(refused).rejects.toMatchObject({ code: "STORE_LOCKED" });
    await expect(refused).rejects.toThrow(`process ${process.pid}`);
  });

  it("is free again when its owner lets go, and leaves nothing behind", async () => {
    for (let round = 0; round < 2; round++) {
      await using _held = await lockFolder(folder);
    }
    expect(await readdir(folder)).toEqual([]);
  });

  it("is taken over from a process that was killed", async () => {
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000); console.log()"]);
    await once(child.stdout, "data");
    await leaveLock({ pid: child.pid ?? 0, startTicks: await readStartTicks(child.pid ?? 0) });
    await expect(lockFolder(folder)).rejects.toMatchObject({ code: "STORE_LOCKED" });
    child.kill("SIGKILL");
    await once(child, "exit");
    await using _held = await lockFolder(folder);
    expect(JSON.parse(await readFile(lockFile, "utf8"))).toMatchObject({ pid: process.pid });
  });

  it("isn't kept by another process that got the same pid later", async () => {
    await leaveLock({ pid: process.pid, startTicks: "1" });
    await using _held = await lockFolder(folder);
  });

  it.each(["", "not json", "null", "{}"])("is taken over when its file holds %j", async (text) => {
    await writeFile(lockFile, text);
    await using _held = await lockFolder(folder);
  });

  it("goes to exactly one of many that find a dead owner's", async () => {
    await leaveLock({ pid: process.pid, startTicks: "1" });
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => lockFolder(folder)));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "STORE_LOCKED" });
      else await outcome.value[Symbol.asyncDispose]();
    }
    expect(await readdir(folder)).toEqual([]);
  });

  it("of another machine or container holds while its owner touches it, and no longer", async () => {
    {
      // This process, as another container would see it: it goes on touching the file.
      await using _held = await lockFolder(folder);
      const owner = JSON.parse(await readFile(lockFile, "utf8"));
      await writeFile(lockFile, JSON.stringify({ ...owner, place: "elsewhere" }));
      await expect(lockFolder(folder, { foreignWaitMs: 3_000 })).rejects.toMatchObject({ code: "STORE_LOCKED" });
    }
    await leaveLock({ pid: 1, place: "elsewhere" });
    await using _held = await lockFolder(folder, { foreignWaitMs: 50 });
  });
});

async function leaveLock(owner: { pid: number; startTicks?: string | undefined; place?: string }): Promise<void> {
  const { place } = await describeThisProcess();
  await writeFile(lockFile, JSON.stringify({ place, nonce: crypto.randomUUID(), ...owner }));
}

async function readStartTicks(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
}
