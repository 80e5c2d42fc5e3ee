import { sql } from "kysely";
import { expect, it } from "vitest";
import { openMemoryStore } from "../../platform/store/memory-store.fixture.ts";
import { forgetOld } from "./retention.ts";

it("keeps commands that ended for a while, so many and so large ones of each cluster, and all that go on", async () => {
  await using store = await openMemoryStore();
  const { db } = store;
  const put = (cluster: string, ended: readonly (string | null)[], bytes = 10) =>
    sql`
      insert into command (id, cluster, incarnation, kind, target, namespace, dry_run, spec, spec_bytes, requester,
        requester_uid, asker, priority, deadline_at, state, finished_at)
      select ${cluster} || '-' || place, ${cluster}, gen_random_uuid(), 'manifests', '', '', false, '{}', ${bytes}, '', '', '{}', 5, now(),
        case when ago is null then 'queued' else 'failed' end, now() - ago::interval
      from unnest(${ended}::text[]) with ordinality as one (ago, place)
    `.execute(db);
  await put("old", ["31 days", "29 days", null]);
  await put("many", ["5 hours", "1 hour", "4 hours", "2 hours", "3 hours"]);
  await put("large", ["3 hours", "2 hours", "1 hour"], 40);
  const limits = { keptMs: 30 * 24 * 3_600_000, commands: 3, bytes: 100 };
  expect(await forgetOld(db, { limits })).toBe(4);
  const { rows } = await sql<{ id: string }>`select id from command order by id`.execute(db);
  expect(rows.map(({ id }) => id)).toEqual(["large-2", "large-3", "many-2", "many-4", "many-5", "old-2", "old-3"]);
});
