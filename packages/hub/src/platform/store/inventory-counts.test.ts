import { sql } from "kysely";
import { expect, it } from "vitest";
import { openMemoryStore } from "./memory-store.fixture.ts";
import type { Store } from "./types.ts";

it("objects are counted by namespace and health, and over all namespaces", async () => {
  await using store = await openMemoryStore();
  await insert(store, ["a", "b", "c"], { namespace: "shop", health: "Healthy" });
  await insert(store, ["d"], { namespace: "shop", health: null });
  await insert(store, ["e"], { namespace: "", health: null });
  await sql`update inventory_object set deleted_at = now() where uid = 'c'`.execute(store.db);
  expect(await listCounts(store)).toEqual([
    " null 1",
    "shop Healthy 2",
    "shop null 1",
    "null Healthy 2",
    "null null 2",
  ]);

  await insert(store, ["f"], { namespace: "shop", health: "Healthy" });
  await sql`delete from inventory_object where uid = 'd'`.execute(store.db);
  expect(await listCounts(store)).toEqual([
    " null 1",
    "shop Healthy 3",
    "shop null 0",
    "null Healthy 3",
    "null null 1",
  ]);
});

async function insert(
  { db }: Store,
  uids: readonly string[],
  { namespace, health }: { readonly namespace: string; readonly health: string | null },
): Promise<void> {
  await sql`
    insert into inventory_object (
      cluster, kind, uid, namespace, name, bucket, version, revision, labels, owners, health, created_at, changed_at,
      change, spec_changed_at, body
    )
    select
      'east', 'pods', uid, ${namespace}, uid, 0, 0, nextval('inventory_revision'), '{}', '{}', ${health}, now(), now(),
      'created', now(), '{}'
    from unnest(${uids}::text[]) uid
  `.execute(db);
}

async function listCounts({ db }: Store): Promise<string[]> {
  const { rows } = await sql<{ namespace: string | null; health: string | null; objects: number }>`
    select namespace, health, objects::int from inventory_count order by namespace, health
  `.execute(db);
  return rows.map(({ namespace, health, objects }) => `${namespace} ${health} ${objects}`);
}
