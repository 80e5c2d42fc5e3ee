// Hubs of several versions come to one store.
import { sql } from "kysely";
import { expect, it } from "vitest";
import { openMemoryStore } from "./memory-store.fixture.ts";
import { migrate } from "./migrate.ts";
import { loadMigrations, type Migration, requireRunnable, toMigration, toSchemaVersion } from "./migrations.ts";
import type { Store } from "./types.ts";

const now = await loadMigrations();
const version = toSchemaVersion(now);
const adding = make(version + 1, "create table added (id integer)");
const removing = make(version + 2, "drop table added", version + 1);
const next = [...now, adding];
const afterNext = [...next, removing];

it.each([
  ["all that it knows", ["0001-a", "0002-b"], true],
  ["one more that takes nothing away", ["0001-a", "0002-b", "0003-c"], true],
  ["one more that takes away what hubs before it need", ["0001-a", "0002-b", "0003-c >2", "0004-d >3"], false],
  ["one more that takes away what only older hubs need", ["0001-a", "0002-b", "0003-c >2"], true],
  ["an unknown one among its own", ["0001-a", "0001-z", "0002-b"], false],
  ["an unknown one instead of its own", ["0001-a", "0003-c"], false],
  ["fewer than it knows", ["0001-a"], true],
])("a hub may run on tables with %s: %s is %s", (_what, names, expected) => {
  const known = [{ name: "0001-a" }, { name: "0002-b" }];
  const applied = names.map((text) => {
    const [name = "", floor] = text.split(" >");
    return { name, floor: floor === undefined ? null : Number(floor) };
  });
  const run = () => requireRunnable(known, applied);
  if (expected) expect(run).not.toThrow();
  else expect(run).toThrow(expect.objectContaining({ code: "STORE_NEWER" }));
});

it("the previous version starts on tables to which the next one has added", async () => {
  await using store = await openMemoryStore();
  expect(await migrate(store.db, { migrations: next })).toBe(version + 1);
  expect(await migrate(store.db)).toBe(version);
  expect(await listApplied(store)).toContain(adding.name);
});

it("the version two before the newest is refused once something is taken away, and the one between isn't", async () => {
  await using store = await openMemoryStore();
  await migrate(store.db, { migrations: afterNext });
  await expect(migrate(store.db)).rejects.toMatchObject({ code: "STORE_NEWER", message: /-removing/ });
  expect(await migrate(store.db, { migrations: next })).toBe(version + 1);
});

it("nothing is taken away while a hub lives that is too old for it, and one that stood still has to join anew", async () => {
  await using store = await openMemoryStore();
  await migrate(store.db, { migrations: next });
  await addHub(store, { id: "hub_old", schemaVersion: version, silentSeconds: 0 });
  await addHub(store, { id: "hub_older", schemaVersion: version - 1, silentSeconds: 1 });
  await addHub(store, { id: "hub_next", schemaVersion: version + 1, silentSeconds: 0 });
  await expect(migrate(store.db, { migrations: afterNext })).rejects.toMatchObject({
    code: "STORE_HUBS_OLDER",
    message: expect.stringMatching(/: hub_old at hub_old:1, version 1, hub_older at hub_older:1, version 1\.$/),
  });
  expect(await listApplied(store)).not.toContain(removing.name);

  await sql`update hub set heartbeat_at = heartbeat_at - interval '7 seconds' where id like 'hub_old%'`.execute(
    store.db,
  );
  await migrate(store.db, { migrations: afterNext });
  expect(await listApplied(store)).toContain(removing.name);
  expect(await store.db.selectFrom("hub").select("id").execute()).toEqual([{ id: "hub_next" }]);
});

async function addHub(
  { db }: Store,
  hub: { readonly id: string; readonly schemaVersion: number; readonly silentSeconds: number },
): Promise<void> {
  const { id, schemaVersion, silentSeconds } = hub;
  await sql`insert into hub (id, address, version, schema_version, started_at, heartbeat_at)
    values (${id}, ${`${id}:1`}, '1', ${schemaVersion}, now(), now() - make_interval(secs => ${silentSeconds}))`.execute(
    db,
  );
}

async function listApplied({ db }: Store): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from migration`.execute(db);
  return rows.map(({ name }) => name);
}

function make(number: number, text: string, floor?: number): Migration {
  const pad = (value: number): string => String(value).padStart(4, "0");
  return floor === undefined
    ? toMigration(`${pad(number)}-adding.sql`, text)
    : toMigration(`${pad(number)}-removing.sql`, `-- contract ${pad(floor)}\n${text}`);
}
