import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openMemoryStore } from "./memory-store.fixture.ts";
import { migrate } from "./migrate.ts";
import { openStore } from "./store.ts";
import { toStoreError } from "./to-store-error.ts";
import type { Store } from "./types.ts";

let store: Store;
beforeAll(async () => {
  store = await openMemoryStore();
});
afterAll(() => store[Symbol.asyncDispose]());

function insertToken(db: Store["db"], id: string): Promise<unknown> {
  const row = { id, name: "x", secret_sha256: "", created_at: new Date() };
  return db.insertInto("admin_token").values(row).execute();
}

async function listTokens(): Promise<string[]> {
  const rows = await store.db.selectFrom("admin_token").select("id").orderBy("id").execute();
  return rows.map(({ id }) => id);
}

describe("the store", () => {
  it("answers a round trip", async () => {
    await store.check();
  });

  it("applies each migration once", async () => {
    await migrate(store.db);
    const applied = await sql<{ name: string }>`select name from migration`.execute(store.db);
    expect(applied.rows.map(({ name }) => name)).toContain("0001-schema.sql");
    expect(new Set(applied.rows.map(({ name }) => name)).size).toBe(applied.rows.length);
  });

  it("refuses data of a newer version", async () => {
    await sql`insert into migration (name, applied_at, floor) values ('9999-future.sql', now(), 9998)`.execute(
      store.db,
    );
    await expect(migrate(store.db)).rejects.toMatchObject({ code: "STORE_NEWER", message: /9999-future/ });
    await sql`delete from migration where name = '9999-future.sql'`.execute(store.db);
  });

  it("takes back all of a transaction that fails, and goes on", async () => {
    const failing = store.db.transaction().execute(async (trx) => {
      await insertToken(trx, "rolled-back");
      throw new Error("changed my mind");
    });
    await expect(failing).rejects.toThrow("changed my mind");
    expect(await listTokens()).not.toContain("rolled-back");
  });

  it("runs transactions beside each other, each without what the others haven't committed", async () => {
    const { promise: looked, resolve: look } = Promise.withResolvers<void>();
    const writing = store.db.transaction().execute(async (trx) => {
      await insertToken(trx, "uncommitted");
      await looked;
    });
    expect(await listTokens()).not.toContain("uncommitted");
    await store.check();
    look();
    await writing;
    expect(await listTokens()).toContain("uncommitted");
  });

  it("reads whole numbers as numbers as far as they are exact", async () => {
    const { rows } = await sql`select 9007199254740991::bigint as exact, 9007199254740993::bigint as large`.execute(
      store.db,
    );
    expect(rows).toEqual([{ exact: 9_007_199_254_740_991, large: "9007199254740993" }]);
  });

  it("gives back dates, arrays and JSON as they went in", async () => {
    const created_at = new Date(Date.UTC(2030, 0, 1, 1, 2, 3, 4));
    const labels = { a: "ü'\"\\", b: "" };
    await store.db
      .insertInto("cluster")
      .values({ name: "east", labels: JSON.stringify(labels), roles: ["observe", "proxy"], created_at })
      .execute();
    const row = await store.db.selectFrom("cluster").selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({ labels, roles: ["observe", "proxy"], created_at, epoch: 0, revoked_at: null });
  });
});

describe("a data folder that can't be one", () => {
  it("is named when it is a file", async () => {
    const folder = await mkdtemp(join(tmpdir(), "fairlead-store-"));
    const dataDir = join(folder, "file");
    await writeFile(dataDir, "");
    await expect(openStore({ dataDir })).rejects.toMatchObject({ code: "STORE_UNUSABLE" });
    await rm(folder, { recursive: true });
  });

  it("is named when the kernel takes no folders there, however often their parents are made", async () => {
    for (const dataDir of ["/proc/fairlead", "/proc/fairlead/data"]) {
      await expect(openStore({ dataDir })).rejects.toMatchObject({
        code: "STORE_UNUSABLE",
        message: `The hub can't use the data folder ${dataDir}.`,
      });
    }
  });

  it("is named when a folder on its path is a link to nowhere", async () => {
    const folder = await mkdtemp(join(tmpdir(), "fairlead-store-"));
    await symlink(join(folder, "nowhere"), join(folder, "link"));
    const dataDir = join(folder, "link", "data");
    await expect(openStore({ dataDir })).rejects.toMatchObject({ code: "STORE_UNUSABLE" });
    await rm(folder, { recursive: true });
  });

  it("is named when the kernel lets nobody write there", async () => {
    // Root can't make folders in sysfs either.
    await expect(openStore({ dataDir: "/sys/fairlead" })).rejects.toMatchObject({
      code: "STORE_READ_ONLY",
      message: expect.stringContaining("/sys/fairlead"),
    });
  });
});

describe("toStoreError", () => {
  it.each([
    ["ENOSPC", "STORE_FULL"],
    ["EDQUOT", "STORE_FULL"],
    ["53100", "STORE_FULL"],
    ["EROFS", "STORE_READ_ONLY"],
    ["EACCES", "STORE_READ_ONLY"],
    ["25006", "STORE_READ_ONLY"],
    ["23505", "23505"],
  ])("reads %s as %s", (code, expected) => {
    expect(toStoreError(Object.assign(new Error("x"), { code }))).toMatchObject({ code: expected });
  });
});
