// The first migration was written anew from the steps by which development versions came to these tables.
import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { describeSchema } from "./describe-schema.fixture.ts";
import { openMemoryStore } from "./memory-store.fixture.ts";
import { migrate } from "./migrate.ts";
import { loadMigrations } from "./migrations.ts";

it("the first migration makes what all steps before it made, down to the order of columns", async () => {
  const file = new URL("first-schema.fixture.txt", import.meta.url);
  const recorded = (await readFile(file, "utf8")).trimEnd().split("\n");
  expect(recorded.filter((line) => line.startsWith("table "))).toHaveLength(tables);
  await using store = await openMemoryStore({ isEmpty: true });
  await migrate(store.db, { migrations: (await loadMigrations()).slice(0, 1) });
  expect(await describeSchema(store.db)).toEqual(recorded);
});

/** Those of the recorded schema, with that of the applied migrations. */
const tables = 66;
