import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { takeFolder } from "./folder.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-demo-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("a second demo is refused with the first one's process, and leaves its files alone", async () => {
  await using _first = await takeFolder(folder);
  await writeFile(join(folder, "kubeconfig"), "of the first");
  await expect(takeFolder(folder)).rejects.toThrow(`Another demo is running in this checkout (process ${process.pid})`);
  expect(await readdir(folder)).toContain("kubeconfig");
});

test("what an ended demo left is removed", async () => {
  await (await takeFolder(folder))[Symbol.asyncDispose]();
  await mkdir(join(folder, "hub"));
  await using _next = await takeFolder(folder);
  expect(await readdir(folder)).toEqual(["lock"]);
});

test("a demo that was killed doesn't hold the folder", async () => {
  const { pid } = spawnSync("true");
  await writeFile(join(folder, "lock"), JSON.stringify({ pid, startTime: "1", token: "x" }));
  await using lock = await takeFolder(folder);
  expect(lock.path).toBe(join(folder, "lock"));
});
