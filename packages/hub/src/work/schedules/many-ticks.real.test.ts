// Very many schedules whose time comes in the same second, put into the database without asking a hub.
import { createId, FairleadError } from "@fairlead/kernel";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { Store } from "../../platform/store/index.ts";
import { openMemoryStore } from "../../platform/store/memory-store.fixture.ts";
import { createTickWork } from "./ticks.ts";

let store: Store;
beforeAll(async () => {
  store = await openMemoryStore();
}, 60_000);
afterAll(() => store[Symbol.asyncDispose]());
beforeEach(() => sql`delete from schedule`.execute(store.db));

const { signal } = new AbortController();

it("a thousand schedules of one second have a tick each, and each tick begins once", async () => {
  await addSchedules("alice", 1_000);
  const begun: string[] = [];
  const ticks = openTicks((owner) => begun.push(owner));
  await ticks.note(signal);
  await ticks.begin(signal);
  await ticks.begin(signal);
  expect(begun).toHaveLength(1_000);
  const { rows } = await sql`select state, count(*)::int as ticks from schedule_tick group by state`.execute(store.db);
  expect(rows).toEqual([{ state: "begun", ticks: 1_000 }]);
}, 120_000);

it("ticks of somebody that have to wait hold up nobody else's", async () => {
  await addSchedules("greedy", 50);
  await addSchedules("alice", 1);
  const begun: string[] = [];
  const ticks = openTicks((owner) => {
    if (owner === "greedy") throw new FairleadError({ code: "ROLLOUT_BUSY", message: "Later.", retryable: true });
    begun.push(owner);
  });
  await ticks.note(signal);
  await ticks.begin(signal);
  expect(begun).toEqual(["alice"]);
});

function openTicks(onBegin: (owner: string) => void) {
  return createTickWork({
    db: store.db,
    rollouts: {
      async create({ name }) {
        onBegin(name);
        return { rollout: { id: createId("rol") }, isNew: true } as never;
      },
      replace: () => Promise.reject(new Error("isn't asked")),
    },
    access: { recall: (asker) => ({ ...asker, groups: [] }), refuseAbsent: () => undefined },
  });
}

/** Their time comes now, and then in an hour, however long a test takes. Those of `greedy` have ids before all others'. */
async function addSchedules(owner: string, count: number): Promise<void> {
  const asker = JSON.stringify({ kind: "user", name: owner, uid: owner });
  const request = JSON.stringify({ kind: "manifests", spec: { set: "web", manifests: "" }, all: true });
  await sql`
    insert into schedule (name, id, cron, time_zone, kind, request, missed, is_paused, owner, owner_uid, asker, next_at)
    select ${owner} || n, ${owner === "greedy" ? "a" : "b"} || ${owner}::text || n, extract(minute from now()) || ' * * * *', 'UTC', 'manifests',
      ${request}, 'one', false, ${owner}, ${owner}, ${asker}, date_trunc('minute', now())
    from generate_series(1, ${count}::int) as n
  `.execute(store.db);
}
