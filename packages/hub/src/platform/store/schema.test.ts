// Released hubs count on the tables of the first migration, which nobody may change any more.
import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { describeSchema } from "./describe-schema.fixture.ts";
import { openMemoryStore } from "./memory-store.fixture.ts";
import { migrate } from "./migrate.ts";
import { loadMigrations } from "./migrations.ts";

it("the first migration makes the tables of 0.1, down to the order of columns", async () => {
  const file = new URL("first-schema.fixture.txt", import.meta.url);
  const recorded = (await readFile(file, "utf8")).trimEnd().split("\n");
  expect(recorded.filter((line) => line.startsWith("table "))).toHaveLength(tables);
  await using store = await openMemoryStore({ isEmpty: true });
  await migrate(store.db, { migrations: (await loadMigrations()).slice(0, 1) });
  expect(await describeSchema(store.db)).toEqual(recorded);
});

/** Those of the recorded schema, with that of the applied migrations. */
const tables = 70;
