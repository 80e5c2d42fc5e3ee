import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { openMemoryStore } from "./memory-store.fixture.ts";
import { migrate } from "./migrate.ts";

describe("migrations", () => {
  it("are applied once by two that begin at once", async () => {
    await using store = await openMemoryStore({ isEmpty: true });
    await Promise.all([migrate(store.db), migrate(store.queries), migrate(store.db)]);
    const { rows } = await sql<{ files: number; names: number }>`
      select count(*)::int as files, count(distinct name)::int as names from migration
    `.execute(store.db);
    expect(rows[0]?.files).toBe(rows[0]?.names);
    expect(rows[0]?.files).toBeGreaterThanOrEqual(9);
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
