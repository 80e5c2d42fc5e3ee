// A hub begins with the things that a killed one has left.
import { mkdtemp, readFile, rm, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endDatabase } from "@fairlead/testkit";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ServerState } from "../postgres/index.ts";
import { openStore } from "../store.ts";
import type { Store } from "../types.ts";
import { markProcess } from "./process-mark.ts";
import { startStoreProcess } from "./store-process.fixture.ts";

let folder: string;
let dataDir: string;
let root: string;
let states: ServerState[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-left-"));
  dataDir = join(folder, "data");
  root = join(dataDir, "postgres");
  await openAndCheck((store) => sql`create table if not exists junk as select 'written' as text`.execute(store.db));
});
beforeEach(() => {
  states = [];
});
afterAll(async () => {
  await endDatabase(dataDir);
  await rm(folder, { recursive: true, force: true });
});

describe("after a hub was killed", () => {
  let pid: number;
  beforeEach(async () => {
    const hub = startStoreProcess({ dataDir });
    expect(await hub.next()).toBe("open");
    await hub.kill();
    pid = await readPid();
    expect(await markProcess(pid)).toBeDefined();
  });

  test("the next one takes its server over", async () => {
    await openAndCheck(async (store) => {
      await readKept(store);
      expect(running()).toBe(pid);
    });
  });

  test("and its server, too, the next one starts another", async () => {
    process.kill(pid, "SIGKILL");
    await openAndCheck(async (store) => {
      await readKept(store);
      expect(running()).not.toBe(pid);
    });
  });

  test("a server that hangs is replaced", async () => {
    process.kill(pid, "SIGSTOP");
    await openAndCheck(async (store) => {
      await readKept(store);
      expect(running()).not.toBe(pid);
    });
    expect(await markProcess(pid)).toBeUndefined();
  });

  test("a server whose password was lost is replaced", async () => {
    await unlink(join(root, "password"));
    await openAndCheck(readKept);
    expect(await markProcess(pid)).toBeUndefined();
  });
});

describe("a folder that no server runs on", () => {
  test("opens though other processes have the pids in its lock files", async () => {
    const lock = `${process.pid}\n${join(root, "18")}\n1700000000\n5432\n${join(root, "socket")}\n\n  1234567  7654321\nready   \n`;
    await writeFile(join(root, "18", "postmaster.pid"), lock);
    await writeFile(join(root, "socket", ".s.PGSQL.5432.lock"), lock);
    await openAndCheck(readKept);
  });

  test.each(["", "\0\0\0\0", "nonsense"])("opens with %j for a pid file", async (text) => {
    await writeFile(join(root, "18", "postmaster.pid"), text);
    await openAndCheck(readKept);
  });

  test.each(["lost", "another", "empty"])("opens with a password that is %s", async (kind) => {
    if (kind === "lost") await unlink(join(root, "password"));
    else await writeFile(join(root, "password"), kind === "empty" ? "" : "another");
    await openAndCheck(readKept);
    await openAndCheck(readKept);
  });
});

async function openAndCheck(check: (store: Store) => Promise<unknown>): Promise<void> {
  await using store = await openStore({ dataDir, onServerChange: (state) => void states.push(state) });
  await check(store);
}

async function readKept(store: Store): Promise<void> {
  const { rows } = await sql<{ text: string }>`select text from junk`.execute(store.db);
  expect(rows[0]).toEqual({ text: "written" });
}

async function readPid(): Promise<number> {
  return Number((await readFile(join(root, "18", "postmaster.pid"), "utf8")).split("\n")[0]);
}

function running(): number {
  const state = states.findLast(({ kind }) => kind === "running");
  return state?.kind === "running" ? state.process.pid : 0;
}
