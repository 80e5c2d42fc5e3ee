import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { ensureDebianProgram } from "./debian-program.ts";

const run = promisify(execFile);

test("a program of a Debian package runs from the cache without being installed", async () => {
  const [first, second] = await Promise.all([0, 1].map(() => ensureDebianProgram(haproxy)));
  expect(second).toEqual(first);
  const { stdout } = await run(first?.path ?? "", ["-v"], { env: { ...process.env, ...first?.env } });
  expect(stdout).toMatch(/^HAProxy version 2\./);
}, 300_000);

test("a package that has no such program is told as missing", async () => {
  await expect(ensureDebianProgram({ ...haproxy, program: "usr/sbin/other" })).rejects.toMatchObject({
    code: "TOOLS_UNAVAILABLE",
  });
}, 300_000);

const haproxy = { package: "haproxy", program: "usr/sbin/haproxy" };
