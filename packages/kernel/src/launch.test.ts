import { type ChildProcessByStdio, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

describe.runIf(process.platform === "linux")("a program that has keys in its memory", () => {
  let program: ChildProcessByStdio<Writable, Readable, null>;
  let lines: AsyncIterator<string>;

  beforeAll(async () => {
    const file = fileURLToPath(new URL("launch.fixture.ts", import.meta.url));
    program = spawn(process.execPath, [file], { stdio: ["pipe", "pipe", "inherit"] });
    lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe("ready");
  });
  afterAll(() => program.kill("SIGKILL"));

  test("opens no debugger when somebody sends it SIGUSR1, and goes on", async () => {
    program.kill("SIGUSR1");
    // Node's own listener would have one within milliseconds.
    await sleep(300);
    expect(await ask()).toMatchObject({ debugger: null });
  });

  test("writes none of its memory into a core file, and neither do the programs that it starts", async () => {
    expect(await ask()).toMatchObject({ filters: [0, 0] });
  });

  async function ask(): Promise<unknown> {
    program.stdin.write("\n");
    return JSON.parse((await lines.next()).value as string);
  }
});
