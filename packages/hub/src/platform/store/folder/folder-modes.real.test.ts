// Data folders as volumes and people make them.
import { chmod, mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endDatabase } from "@fairlead/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../store.ts";
import type { StoreOptions } from "../types.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-folder-"));
  await chmod(folder, 0o755);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("a data folder", () => {
  it("opens again after an fsGroup has made all of it writable for a group", async () => {
    const dataDir = join(folder, "volume");
    await mkdir(dataDir);
    await chmod(dataDir, 0o2770);
    await openAndClose(dataDir);
    for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
      if (entry.isSymbolicLink()) continue;
      await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o2770 : 0o660);
    }
    await openAndClose(dataDir);
    const root = join(dataDir, "postgres");
    expect((await stat(root)).mode & 0o066).toBe(0);
    expect((await stat(join(root, "18"))).mode & 0o7777).toBe(0o700);
    expect((await stat(join(root, "socket"))).mode & 0o7777).toBe(0o700);
    expect((await stat(join(root, "password"))).mode & 0o7777).toBe(0o600);
  });

  it("with a name too long for a socket is refused, and opens with the socket elsewhere", async () => {
    const dataDir = join(folder, "long".repeat(25));
    await expect(openStore({ dataDir })).rejects.toMatchObject({
      code: "STORE_SOCKET_PATH_TOO_LONG",
      hint: /--postgres-socket-dir/,
    });
    expect(await readdir(join(dataDir, "postgres"))).not.toContain("18");
    const socketDir = join(folder, "sockets");
    await openAndClose(dataDir, { socketDir });
    expect(await readdir(socketDir)).toHaveLength(1);
  });
});

async function openAndClose(dataDir: string, options: StoreOptions = {}): Promise<void> {
  try {
    await using store = await openStore({ ...options, dataDir });
    await store.check();
  } finally {
    await endDatabase(dataDir);
  }
}
