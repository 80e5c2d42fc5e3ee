// One rollout over ten thousand clusters: what each request and each step costs is counted, not timed.
import { setImmediate } from "node:timers/promises";
import type { Rollout, RolloutClusterList, RolloutList, RolloutPreview } from "@fairlead/contract";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freeAccess, type HarnessAccess } from "../../commands/commands-harness.fixture.ts";
import { openRolloutsHarness, type RolloutHub, type RolloutsHarness } from "./rollouts-harness.fixture.ts";

/** Everybody has rights on each cluster by itself, so that each is looked at. */
const access: HarnessAccess = {
  ...freeAccess,
  may: (_principal, { cluster, resource }) => cluster !== undefined && resource !== "commands/helm",
};
const asked = {
  kind: "manifests",
  spec: { set: "web", manifests: "" },
  selector: "fleet=large",
  waves: [{ size: "1%" }, { size: "10%" }],
};
const undo = new AsyncDisposableStack();
let harness: RolloutsHarness;
let hub: RolloutHub;
let rollout: Rollout;

beforeAll(async () => {
  harness = undo.use(await openRolloutsHarness());
  await sql`
    insert into cluster (name, labels, roles, created_at)
    select 'c' || lpad(number::text, 5, '0'), '{"fleet": "large"}'::jsonb, '{execute}', now()
    from generate_series(1, 10000) as number
  `.execute(harness.store.db);
  hub = await harness.openHub({ access });
});
afterAll(() => undo.disposeAsync());

it("is previewed and begun with as many statements as one over a few, and in answers of a bounded size", async () => {
  const preview = await count(() => hub.ask("POST", "/api/v1/rollouts/preview", asked));
  expect((preview.result.json as RolloutPreview).items).toHaveLength(10_000);
  expect(preview.result.text.length).toBeLessThan(512 * 1024);
  const created = await count(() => hub.start({ ...asked, maxParallel: 32 }));
  rollout = created.result;
  expect(rollout.clusters).toMatchObject({ all: 10_000 });
  expect(JSON.stringify(rollout).length).toBeLessThan(1024);
  // Others had their turns at least once for every two hundred clusters.
  expect(preview.turns).toBeGreaterThan(40);
  for (const { statements } of [preview, created]) expect(statements).toBeLessThan(100);
});

it("takes as many statements and rows for each cluster at its end as at its beginning", async () => {
  const first = await countBegun(32);
  await finishMost();
  const last = await countBegun(32);
  for (const { statements, rows } of [first, last]) {
    expect(statements).toBeLessThan(32 * 40);
    expect(rows).toBeLessThan(32 * 40);
  }
});

it("is read in pages, of the clusters that one may see", async () => {
  const page = await count(() => hub.ask("GET", `/api/v1/rollouts/${rollout.id}/clusters`));
  const { items, next } = page.result.json as RolloutClusterList;
  expect([items.length, next]).toEqual([200, "200"]);
  expect(page.statements).toBeLessThan(50);
});

it("is listed beside two hundred others by as many templates while others are answered", async () => {
  await sql`
    insert into rollout (id, kind, target, namespace, dry_run, request, request_bytes, requester, requester_uid, asker,
      waves, state, clusters, waiting, template, template_revision, finished_at)
    select 'rol_' || lpad(number::text, 26, '0'), 'helm', '', '', false, '{}', 2, 'alice', 'uid-alice', '{}',
      1, 'succeeded', 1, 0, 't' || number, 1, now()
    from generate_series(1, 200) as number
  `.execute(harness.store.db);
  await sql`
    insert into rollout_cluster (rollout, place, cluster, incarnation, wave, state)
    select rollout.id, 1, cluster.name, cluster.incarnation, 1, 'succeeded'
    from rollout join cluster on cluster.name = 'c10000' where rollout.template is not null
  `.execute(harness.store.db);
  // Alice sees them by her templates alone, and bob none of them.
  const list = await count(() => hub.ask("GET", "/api/v1/rollouts?limit=200"));
  const { items, next } = list.result.json as RolloutList;
  expect([items.length, next !== undefined]).toEqual([200, true]);
  expect(list.result.text.length).toBeLessThan(128 * 1024);
  expect(list.statements).toBeLessThan(50);
  expect((await hub.ask("GET", "/api/v1/rollouts?limit=200", undefined, "bob")).json).toMatchObject({
    items: { length: 1 },
  });
});

it("is cancelled in one step, whatever of it waits", async () => {
  const cancelled = await count(async () => {
    await hub.ask("POST", `/api/v1/rollouts/${rollout.id}/cancel`);
    return await hub.untilState(rollout.id, "cancelled");
  });
  expect(cancelled.result.clusters).toMatchObject({ waiting: 0, running: 0 });
  expect(cancelled.statements).toBeLessThan(32 * 40);
});

interface Counted<Result> {
  readonly result: Result;
  readonly statements: number;
  /** How often others could have had their turns in this process. */
  readonly turns: number;
}

async function count<Result>(run: () => Promise<Result>): Promise<Counted<Result>> {
  const before = harness.store.answered;
  let turns = 0;
  let isOver = false;
  const turning = (async () => {
    for (; !isOver; turns++) await setImmediate();
  })();
  try {
    const result = await run();
    return { result, statements: harness.store.answered - before, turns };
  } finally {
    isOver = true;
    await turning;
  }
}

/** Until so many clusters have commands. */
async function countBegun(running: number) {
  const read = await countRows();
  const { statements } = await count(() =>
    expect.poll(async () => (await hub.see(rollout.id)).clusters.running, { interval: 500 }).toBe(running),
  );
  return { statements, rows: (await countRows()) - read };
}

/** Rows of clusters of rollouts that the database has read so far. */
async function countRows(): Promise<number> {
  const { db, queries } = harness.store;
  // A connection says by itself once in a while what it has read. All of them are asked to.
  const flush = (of: typeof db) => sql`select pg_stat_force_next_flush(), pg_sleep(0.05)`.execute(of);
  await Promise.all([db, queries].flatMap((of) => Array.from({ length: 8 }, () => flush(of))));
  const { rows } = await sql<{ read: number }>`
    select seq_tup_read + idx_tup_fetch as read from pg_stat_user_tables where relname = 'rollout_cluster'
  `.execute(db);
  return rows[0]?.read ?? 0;
}

/** All but the last thousand clusters have had their turn, and the commands have ended. */
async function finishMost(): Promise<void> {
  const { db } = harness.store;
  await db.transaction().execute(async (trx) => {
    await sql`update command set state = 'succeeded', finished_at = now()`.execute(trx);
    await sql`update rollout_cluster set state = 'succeeded' where place <= 9000`.execute(trx);
    await sql`update rollout set waiting = 1000, running = 0, succeeded = 9000, wave = 3`.execute(trx);
  });
}
