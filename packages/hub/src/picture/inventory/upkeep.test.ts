// Where several hubs share a database.
import { createMovableClock } from "@fairlead/kernel/testing";
import { sql } from "kysely";
import { pino } from "pino";
import { expect, it } from "vitest";
import { openMemoryStore } from "../../platform/store/memory-store.fixture.ts";
import { createCopyStore } from "./copy-store.ts";
import { createFreshness } from "./freshness.ts";
import { createObjectStore } from "./object-store.ts";
import { startUpkeep, type UpkeepLeases } from "./upkeep.ts";

it("purges what was deleted only while it holds the lease", async () => {
  await using store = await openMemoryStore();
  const clock = createMovableClock(Date.UTC(2030, 0, 1));
  const lease = createLease();
  const never = { write: async () => undefined, forget: async () => undefined, failure: undefined };
  await using _upkeep = startUpkeep({
    clusters: createCopyStore(store.db),
    objects: createObjectStore(store.db),
    freshness: createFreshness({ clock }),
    writer: { ...never, run: (work) => work(undefined), [Symbol.asyncDispose]: async () => undefined },
    leases: lease.leases,
    clock,
    nowStoredMs: () => clock.now(),
    log: pino({ level: "silent" }),
  });
  const countRows = async (): Promise<number> => {
    clock.move(30_000);
    const { rows } = await sql<{ count: number }>`select count(*)::int as count from inventory_object`.execute(
      store.db,
    );
    return rows[0]?.count ?? 0;
  };
  const bury = () =>
    sql`
    insert into inventory_cluster (cluster, kube_system_uid) select name, 'u' from cluster on conflict do nothing
  `
      .execute(store.db)
      .then(() =>
        sql`
    insert into inventory_object (
      cluster, kind, uid, namespace, name, bucket, version, revision, labels, owners, created_at, changed_at, change,
      spec_changed_at, deleted_at, body
    ) select 'east', 'pods', 'a', '', 'a', 0, 0, nextval('inventory_revision'), '{}', '{}', now(), now(), 'deleted', now(),
      '2029-12-30', '{}'
  `.execute(store.db),
      );
  await store.db
    .insertInto("cluster")
    .values({ name: "east", labels: "{}", roles: ["observe"], created_at: new Date() })
    .execute();
  await bury();
  for (let round = 0; round < 25; round++) expect(await countRows()).toBe(1);
  lease.give();
  await expect.poll(countRows).toBe(0);
  await lease.lose();
  await bury();
  for (let round = 0; round < 25; round++) expect(await countRows()).toBe(1);
});

/** A lease that the test grants and takes away. */
function createLease(): { readonly leases: UpkeepLeases; give(): void; lose(): Promise<void> } {
  let work: Parameters<UpkeepLeases["hold"]>[1]["work"] | undefined;
  let end = new AbortController();
  let working: Promise<void> | undefined;
  return {
    leases: {
      hold(_name, options) {
        work = options.work;
        return { [Symbol.asyncDispose]: async () => end.abort() };
      },
    },
    give() {
      end = new AbortController();
      working = work?.({ signal: end.signal, isHeld: true });
    },
    async lose() {
      end.abort();
      await working;
    },
  };
}
