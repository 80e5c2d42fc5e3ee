// Data folders as volumes and people make them.
import { execFile } from "node:child_process";
import { chmod, chown, mkdir, mkdtemp, readdir, rename, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { endDatabase } from "@fairlead/testkit";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../store.ts";
import type { StoreOptions } from "../types.ts";

const isRoot = process.getuid?.() === 0;
const foreign = "STORE_SOCKET_FOLDER_FOREIGN";

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

describe("the folder of the socket", () => {
  const other = 12_345;
  let made: string;
  let socketDir: string;
  beforeAll(async () => {
    socketDir = join(folder, "shared");
    await mkdir(socketDir);
    await chmod(socketDir, 0o1777);
    await openAndClose(join(folder, "mine"), { socketDir });
    [made = ""] = await readdir(socketDir);
  });

  it("that is a link to a folder of somebody's is refused, and that folder stays as it is", async () => {
    const theirs = join(folder, "theirs");
    await mkdir(theirs);
    await chmod(theirs, 0o755);
    const { uid } = await stat(theirs);
    await rename(join(socketDir, made), join(socketDir, "aside"));
    await symlink(theirs, join(socketDir, made));
    await expect(openStore({ dataDir: join(folder, "mine"), socketDir })).rejects.toMatchObject({ code: foreign });
    expect(await stat(theirs)).toMatchObject({ uid, mode: 0o40755 });
    await rm(join(socketDir, made));
    await rename(join(socketDir, "aside"), join(socketDir, made));
  });

  it.runIf(isRoot)(
    "that another user made before the hub is refused, and so is one whose folder above is theirs",
    async () => {
      const owner = (await stat(join(socketDir, made))).uid;
      for (const path of [join(socketDir, made), socketDir]) {
        await chown(path, other, other);
        await expect(openStore({ dataDir: join(folder, "mine"), socketDir })).rejects.toMatchObject({ code: foreign });
        await chown(path, owner, owner);
      }
      await openAndClose(join(folder, "mine"), { socketDir });
    },
  );

  it.runIf(isRoot)("lets no other user of the machine connect, and nothing listens on the network", async () => {
    const dataDir = join(folder, "mine");
    await using store = await openStore({ dataDir, socketDir });
    const { rows } = await sql<{ listen_addresses: string }>`show listen_addresses`.execute(store.db);
    expect(rows).toEqual([{ listen_addresses: "" }]);
    const rules = await sql`select type, auth_method, error from pg_hba_file_rules`.execute(store.db);
    expect(rules.rows).toEqual([{ type: "local", auth_method: "scram-sha-256", error: null }]);
    const connect = `require("node:net").connect(process.argv[1]).on("connect", () => process.exit(9)).on("error", (error) => console.log(error.code))`;
    const socket = join(socketDir, made, ".s.PGSQL.5432");
    const as = ["--reuid=12345", "--regid=12345", "--clear-groups", process.execPath, "-e", connect, socket];
    expect((await promisify(execFile)("setpriv", as)).stdout.trim()).toBe("EACCES");
    await endDatabase(dataDir);
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
