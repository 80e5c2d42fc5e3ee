import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { lockFolder } from "./lock.ts";
import { isAwaited, untilServed, waitForFolder } from "./succession.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-succession-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("who waits gets the folder when its owner lets go, and the owner sees it wait and then serve", async () => {
  const first = await lockFolder(folder);
  expect(await isAwaited(folder)).toBe(false);
  const onWait = vi.fn();
  const next = waitForFolder(folder, { waitMs: 10_000, onWait });
  await vi.waitFor(async () => expect(await isAwaited(folder)).toBe(true), { timeout: 60_000 });
  await vi.waitFor(() => expect(onWait).toHaveBeenCalledTimes(1));
  await first[Symbol.asyncDispose]();
  const second = await next;
  expect(await first.isServedByAnother()).toBe(false);
  await second.markServing();
  expect(await untilServed(first, 5_000)).toBe(true);
  expect(await second.isServedByAnother()).toBe(false);
  // Letting go twice takes nothing from the other one.
  await first[Symbol.asyncDispose]();
  await expect(lockFolder(folder)).rejects.toMatchObject({ code: "STORE_LOCKED" });
  await second[Symbol.asyncDispose]();
  expect(await readdir(folder)).toEqual([]);
});

test("without a wait, and after it, the folder is said to be locked, and nobody counts as waiting any more", async () => {
  await using _held = await lockFolder(folder);
  const locked = { code: "STORE_LOCKED" };
  await expect(waitForFolder(folder, { waitMs: 0 })).rejects.toMatchObject(locked);
  await expect(waitForFolder(folder, { waitMs: 300 })).rejects.toMatchObject(locked);
  expect(await isAwaited(folder)).toBe(false);
  expect(await untilServed(_held, 100)).toBe(false);
});
