import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { handOverFirstToken, readKeptToken } from "./first-token.ts";

const first = { token: "fla_secret", peopleUrl: "https://127.0.0.1:8443", caFingerprint: "5f2c" };
let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-first-"));
});
afterEach(() => rm(folder, { recursive: true }));

it("is shown with the command to sign in when no file was named", async () => {
  const text = await handOverFirstToken(first, undefined);
  expect(text).toContain("fairlead login https://127.0.0.1:8443 --ca-fingerprint 5f2c\n");
  expect(text).toContain("fla_secret");
});

it("is in a file that only its owner reads, and nowhere else", async () => {
  const file = join(folder, "new", "admin-token");
  const text = await handOverFirstToken(first, file);
  expect(text).toContain(`fairlead login https://127.0.0.1:8443 --ca-fingerprint 5f2c < ${file}\n`);
  expect(text).not.toContain("fla_secret");
  expect(await readFile(file, "utf8")).toBe("fla_secret\n");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

it("is shown when the file can't be made, and what is there is left alone", async () => {
  const file = join(folder, "admin-token");
  await writeFile(file, "of someone else");
  const text = await handOverFirstToken(first, file);
  expect(text).toContain("can't be written");
  expect(text).toContain("fla_secret");
  expect(await readFile(file, "utf8")).toBe("of someone else");
});

it("is left in the file where an earlier start put it", async () => {
  const file = join(folder, "admin-token");
  const text = await handOverFirstToken(first, file);
  expect(await handOverFirstToken(first, file)).toBe(text);
  expect(text).not.toContain("can't be written");
});

it("is read from a small file only, and nothing is waited for", async () => {
  const file = join(folder, "admin-token");
  expect(await readKeptToken(undefined)).toBeUndefined();
  expect(await readKeptToken(file)).toBeUndefined();
  execFileSync("mkfifo", [file]);
  expect(await readKeptToken(file)).toBeUndefined();
  expect(await handOverFirstToken(first, file)).toContain("fla_secret");
  await rm(file);
  await writeFile(file, "x".repeat(2_000));
  expect(await readKeptToken(file)).toBeUndefined();
  await writeFile(file, "fla_secret\n");
  expect(await readKeptToken(file)).toBe("fla_secret");
});
