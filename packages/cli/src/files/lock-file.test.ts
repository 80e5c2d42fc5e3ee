import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposable, readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lockFile } from "./lock-file.ts";

const folder = () => mkdtempDisposable(join(tmpdir(), "fairlead-lock-"));

test("one at a time has the lock, and nothing is left behind", async () => {
  await using at = await folder();
  const file = join(at.path, "lock");
  let inside = 0;
  let most = 0;

  await Promise.all(
    Array.from({ length: 10 }, async () => {
      await using _ = await lockFile(file, { waitMs: 20_000 });
      most = Math.max(most, ++inside);
      await new Promise((resolve) => setTimeout(resolve, 2));
      inside--;
    }),
  );

  expect(most).toBe(1);
  expect(await readdir(at.path)).toEqual([]);
});

test("a lock that someone alive holds isn't taken", async () => {
  await using at = await folder();
  const file = join(at.path, "lock");
  await using _ = await lockFile(file, { waitMs: 0 });

  await expect(lockFile(file, { waitMs: 0 })).rejects.toMatchObject({ code: "CLI_CONFIG_LOCKED", retryable: true });
});

test("the lock of a process that died is taken over at once", async () => {
  await using at = await folder();
  const file = join(at.path, "lock");
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "exit");
  await writeFile(file, JSON.stringify({ pid: child.pid, host: hostname(), nonce: "x" }));

  await using _ = await lockFile(file, { waitMs: 0 });

  expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ pid: process.pid });
});

test.each([
  ["of another machine", JSON.stringify({ pid: 1, host: "elsewhere", nonce: "x" })],
  ["that says nothing", ""],
])("a lock %s is respected while it is young, and taken over when it is old", async (_, content) => {
  await using at = await folder();
  const file = join(at.path, "lock");
  await writeFile(file, content);
  await expect(lockFile(file, { waitMs: 0 })).rejects.toMatchObject({ code: "CLI_CONFIG_LOCKED" });

  const minutesAgo = new Date(Date.now() - 120_000);
  await utimes(file, minutesAgo, minutesAgo);

  await using lock = await lockFile(file, { waitMs: 0 });
  expect(lock).toBeDefined();
});
