import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { openMemoryStore } from "./memory-store.fixture.ts";
import { migrate } from "./migrate.ts";
import { toMigration } from "./migrations.ts";

describe("migrations", () => {
  it("are applied once by two that begin at once", async () => {
    await using store = await openMemoryStore({ isEmpty: true });
    const migrations = ["0001-a.sql", "0002-b.sql", "0003-c.sql"].map((name, index) =>
      toMigration(name, `create table made_${index} (id integer);\ncreate index on made_${index} (id);\n`),
    );
    await Promise.all([store.db, store.queries, store.db].map((db) => migrate(db, { migrations })));
    const { rows } = await sql<{ files: number; names: number }>`
      select count(*)::int as files, count(distinct name)::int as names from migration
    `.execute(store.db);
    expect(rows).toEqual([{ files: 3, names: 3 }]);
  });

  it("keep nothing of one that fails halfway", async () => {
    await using store = await openMemoryStore({ isEmpty: true });
    const migrations = [toMigration("0001-a.sql", "create table made (id integer);\nselect nothing;\n")];
    await expect(migrate(store.db, { migrations })).rejects.toMatchObject({ code: "42703" });
    expect((await sql`select from pg_tables where tablename = 'made'`.execute(store.db)).rows).toEqual([]);
    expect((await sql`select from migration`.execute(store.db)).rows).toEqual([]);
  });

  it("compare texts by their bytes, whatever the database would do", async () => {
    await using store = await openMemoryStore();
    const { rows } = await sql<{ column: string }>`
      select table_name || '.' || column_name as column from information_schema.columns
      where table_schema = 'public' and data_type = 'text' and collation_name is distinct from 'C'
    `.execute(store.db);
    expect(rows).toEqual([]);
  });
});
