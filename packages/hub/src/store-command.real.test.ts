// `fairlead-hub store …` as an administrator types it.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitUntil } from "@fairlead/kernel/testing";
import { endDatabase, programArgs, runCommand, startHub } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTcpServer } from "./platform/store/database/tcp-server.fixture.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-store-command-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("a hub that was backed up while it served comes back with its people, clusters and authorities", async () => {
  const keyFile = join(folder, "key-encryption-key");
  await writeFile(keyFile, randomBytes(32).toString("hex"), { mode: 0o600 });
  const sealing = ["--key-encryption-key-file", keyFile];
  const backup = join(folder, "backup");
  const state = join(folder, "restored");
  const dataDir = join(state, "data");
  let fingerprint: string;
  let adminToken: string;
  let sealed: string[];
  {
    await using hub = await startHub({ args: sealing });
    await hub.cli(["cluster", "add", "east"]);
    await hub.cli(["ca", "rotate"]);
    sealed = await readKeys(hub.dataDir);
    const made = await runStore(["backup", "--to", backup, "--data-dir", hub.dataDir]);
    expect(made.stderr).toMatch(/^fairlead-hub: wrote the backup .*: \d+ tables, \d+ rows, \d+ files$/m);
    const again = await runStore(["backup", "--to", backup, "--data-dir", hub.dataDir]);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("(STORE_NOT_EMPTY)") });
    ({ caFingerprint: fingerprint, adminToken } = hub);
  }

  // Killed on its way it leaves nothing that a hub would open.
  const args = [...programArgs("hub"), "store", "restore", "--from", backup, "--data-dir", dataDir];
  const restore = spawn(process.execPath, args, { stdio: "ignore" });
  const isUnderWay = (): boolean => existsSync(join(dataDir, "postgres", "18", "postmaster.pid"));
  expect(await waitUntil(isUnderWay, { timeoutMs: 60_000, intervalMs: 5 })).toBe(true);
  restore.kill("SIGKILL");
  await once(restore, "exit");
  const listen = ["--listen", "127.0.0.1:0", "--agent-listen", "127.0.0.1:0"];
  const early = await runCommand(process.execPath, [...programArgs("hub"), "--data-dir", dataDir, ...listen], {
    allowFailure: true,
  });
  expect(early.stderr).toContain("(STORE_RESTORE_UNFINISHED)");

  expect((await runStore(["restore", "--from", backup, "--data-dir", dataDir])).code).toBe(0);
  expect((await runStore(["restore", "--from", backup, "--data-dir", dataDir])).stderr).toContain("(STORE_NOT_EMPTY)");
  // Encrypted it was and stays, and is of no use without its key.
  expect(sealed.join("")).not.toContain("PRIVATE KEY");
  expect(await readKeys(dataDir)).toEqual(sealed);
  const keyless = await runCommand(process.execPath, [...programArgs("hub"), "--data-dir", dataDir, ...listen], {
    allowFailure: true,
  });
  expect(keyless.stderr).toContain("(PKI_KEY_ENCRYPTION_KEY_MISSING)");
  expect(await readKeys(dataDir)).toEqual(sealed);

  // The token of the first hub's first administrator, which a restored hub doesn't make again.
  await writeFile(join(state, "hub.log"), `${adminToken} ${fingerprint}\n`);
  await using hub = await startHub({ stateDir: state, args: sealing });
  expect(hub.caFingerprint).toBe(fingerprint);
  expect((await hub.cli(["ca", "status"])).stdout).toMatch(new RegExp(`leaving +${fingerprint}`));
  expect((await hub.cli(["cluster", "list"])).stdout).toContain("east");
  await endDatabase(dataDir);
}, 240_000);

function readKeys(dataDir: string): Promise<string[]> {
  const names = ["ca.key", "next/ca.key"];
  return Promise.all(names.map((name) => readFile(join(dataDir, "pki", name), "utf8")));
}

test("a backup goes to the standard output, too", async () => {
  const dataDir = join(folder, "restored", "data");
  const output = spawn(
    process.execPath,
    [...programArgs("hub"), "store", "backup", "--to", "-", "--data-dir", dataDir],
    {
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  await writeFile(join(folder, "piped"), output.stdout);
  const target = join(folder, "from-pipe");
  expect((await runStore(["restore", "--from", join(folder, "piped"), "--data-dir", target])).code).toBe(0);
  expect(await readFile(join(target, "pki", "ca.pem"))).toEqual(await readFile(join(dataDir, "pki", "ca.pem")));
});

test("a folder's database is copied to the one that the settings name, and is backed up and restored there", async () => {
  await using server = await startTcpServer();
  const dataDir = join(folder, "restored", "data");
  const settings = async (name: string): Promise<string[]> => {
    const file = join(folder, `url-${name}`);
    await writeFile(file, server.url({ database: name }), { mode: 0o600 });
    await server.run(`create database ${name} owner hub`);
    return ["--database-url-file", file];
  };
  const [first, second] = [await settings("first"), await settings("second")];
  const copied = await runStore(["copy", "--from", dataDir, "--to", "database", ...first]);
  expect(copied).toMatchObject({ code: 0, stderr: expect.stringContaining("copied and compared") });
  const names = "select name from cluster";
  expect(await server.run(names, "first")).toEqual([{ name: "east" }]);

  const backup = join(folder, "of-database");
  expect((await runStore(["backup", "--to", backup, "--data-dir", dataDir, ...first])).code).toBe(0);
  const target = join(folder, "beside-database");
  expect((await runStore(["restore", "--from", backup, "--data-dir", target, ...second])).code).toBe(0);
  expect(await server.run(names, "second")).toEqual([{ name: "east" }]);
  expect(await readFile(join(target, "pki", "ca.pem"))).toEqual(await readFile(join(dataDir, "pki", "ca.pem")));
});

test("a password in the address of a place is refused, as everybody could read it", async () => {
  const { stderr } = await runStore(["copy", "--from", folder, "--to", "postgres://hub:geheim@127.0.0.1/x"]);
  expect(stderr).toContain("(CONFIG_SECRET_IN_FLAG)");
  expect(stderr).not.toContain("geheim");
});

test.each([
  [["store"], "CONFIG_COMMAND_UNKNOWN"],
  [["store", "backup"], "CONFIG_INVALID"],
  [["store", "restore", "--to", "x"], "CONFIG_INVALID"],
  [["--to", "x"], "CONFIG_INVALID"],
])("%j is refused with a word on what it takes", async (args, code) => {
  const { stderr } = await runCommand(process.execPath, [...programArgs("hub"), ...args], { allowFailure: true });
  expect(stderr).toContain(`(${code})`);
});

function runStore(args: readonly string[]): ReturnType<typeof runCommand> {
  return runCommand(process.execPath, [...programArgs("hub"), "store", ...args], { allowFailure: true });
}
