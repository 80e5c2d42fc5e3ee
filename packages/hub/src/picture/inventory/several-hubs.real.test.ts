// Reports of a cluster at several hubs: the database settles whose counts, and all hubs say the same of it.
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { holdTransaction, untilSomebodyWaits } from "../../platform/store/hold-transaction.fixture.ts";
import { applied, type FakeAgent, pod, pods } from "./inventory.fixture.ts";
import { createReportStore } from "./report-store.ts";
import { openSeveralHubs, type SeveralHubs, type SharingHub } from "./several-hubs.fixture.ts";
import { createLearntTime } from "./store-time.ts";

const poll = { timeout: 60_000, interval: 20 };
const minutes = 60_000;
let harness: SeveralHubs;
beforeAll(async () => {
  harness = await openSeveralHubs({ hubs: [{}, { skewMs: 10 * minutes }, { skewMs: -10 * minutes }] });
}, 60_000);
afterEach(() => {
  harness.hall.fate = () => "deliver";
});
afterAll(() => harness?.[Symbol.asyncDispose]());

async function begin(
  hub: SharingHub,
  cluster: string,
  options?: Parameters<FakeAgent["start"]>[0],
): Promise<FakeAgent> {
  const agent = hub.dial(cluster);
  await agent.start(options);
  agent.send({ case: "kinds", value: { changed: [{ ...pods, state: "synced" }] } });
  agent.send({ case: "compare", value: { kind: 1, bucketCount: 1 } });
  await agent.until("digests");
  return agent;
}

async function refusalOf(
  hub: SharingHub,
  cluster: string,
  options: Parameters<FakeAgent["start"]>[0],
): Promise<string> {
  return await hub
    .dial(cluster)
    .start(options)
    .then(
      () => "",
      (error: Error) => error.message,
    );
}

async function put(agent: FakeAgent, sequence: bigint, ...uids: readonly string[]): Promise<void> {
  agent.send({ case: "batch", value: { sequence, changes: uids.map((uid) => applied(1, pod(uid))) } });
  await agent.until("ack");
}

async function listLive(cluster: string): Promise<string[]> {
  const { rows } = await sql<{ uid: string }>`
    select uid from inventory_object where cluster = ${cluster} and deleted_at is null order by uid
  `.execute(harness.store.db);
  return rows.map(({ uid }) => uid);
}

describe("of two reports of a cluster at two hubs", () => {
  it("the newer goes on; what the older sends isn't written and not acknowledged", async () => {
    const cluster = await harness.createCluster();
    harness.hall.fate = () => "lose";
    const old = await begin(harness.hub(0), cluster);
    await put(old, 1n, "a");
    const young = await begin(harness.hub(1), cluster);
    old.send({ case: "batch", value: { sequence: 2n, changes: [applied(1, pod("b"))] } });
    await expect(old.until("ack")).rejects.toThrow("INVENTORY_SUPERSEDED");
    await put(young, 1n, "c");
    expect(await listLive(cluster)).toEqual(["a", "c"]);
    young.cut();
  });

  it("the older ends by itself, also when its agent says nothing", async () => {
    const cluster = await harness.createCluster();
    const old = await begin(harness.hub(0), cluster);
    const young = await begin(harness.hub(1), cluster);
    await expect(old.next()).rejects.toThrow("INVENTORY_SUPERSEDED");
    young.cut();
  });

  it("a write that waits in the database while another hub takes over is refused, whatever it saw before", async () => {
    const cluster = await harness.createCluster();
    const old = await begin(harness.hub(0), cluster);
    const held = await holdTransaction(harness.store.queries, (trx) =>
      sql`select pg_advisory_xact_lock(7597139799437504370)`.execute(trx),
    );
    // Straight to the database: in a hub it might wait behind another write, and that one behind this transaction.
    const reports = createReportStore({ db: harness.store.db, time: createLearntTime(), now: Date.now });
    const start = { kubeSystemUid: "first", agentInstanceId: "other", epoch: 9n };
    const begun = reports.begin({ ...start, cluster, hub: "other" });
    await untilSomebodyWaits(harness.store.db, 1, "before as (");
    old.send({ case: "batch", value: { sequence: 1n, changes: [applied(1, pod("late"))] } });
    // It may wait in the hub behind something else that waits there.
    await Promise.race([untilSomebodyWaits(harness.store.db, 2), sleep(500)]);
    await held.commit();
    expect(await begun).toMatchObject({ isMoved: true });
    await expect(old.until("ack")).rejects.toThrow("INVENTORY_SUPERSEDED");
    expect(await listLive(cluster)).toEqual([]);
  });

  it("a hub that was stopped in the middle writes nothing when it wakes: objects, kinds, deletions", async () => {
    const cluster = await harness.createCluster();
    const old = await begin(harness.hub(0), cluster);
    await put(old, 1n, "a");
    harness.hub(0).stop();
    const nodes = { ...pods, id: 2, resource: "nodes", kind: "Node", namespaced: false };
    old.send({ case: "batch", value: { sequence: 2n, changes: [applied(1, pod("b"))] } });
    old.send({ case: "batch", value: { sequence: 3n, changes: [{ kind: 1, uid: "a", deleted: true }] } });
    old.send({ case: "kinds", value: { changed: [nodes], removed: [1] } });
    const young = await begin(harness.hub(1), cluster);
    await put(young, 1n, "c");
    harness.hub(0).wake();
    await expect(old.until("refusal")).rejects.toThrow("INVENTORY_SUPERSEDED");
    // The first was on its way to the database when the hub stopped.
    expect((await listLive(cluster)).filter((uid) => uid !== "b")).toEqual(["a", "c"]);
    const kinds = await harness.store.db
      .selectFrom("inventory_kind")
      .select("kind")
      .where("cluster", "=", cluster)
      .execute();
    expect(kinds).toEqual([{ kind: "pods" }]);
    young.cut();
  });

  it("the one of the agent that leads counts, whichever hub has seen which", async () => {
    const cluster = await harness.createCluster();
    const one = await begin(harness.hub(0), cluster, { instance: "one", epoch: 4n });
    expect(await refusalOf(harness.hub(1), cluster, { instance: "other", epoch: 4n })).toContain(
      "INVENTORY_NOT_LEADER",
    );
    expect(await refusalOf(harness.hub(1), cluster, { instance: "other", epoch: 3n })).toContain(
      "INVENTORY_NOT_LEADER",
    );
    const next = await begin(harness.hub(2), cluster, { instance: "other", epoch: 5n });
    await expect(one.next()).rejects.toThrow("INVENTORY_SUPERSEDED");
    next.cut();
    // Its end is known at all hubs, and for a minute no older leader may come.
    await expect
      .poll(() => refusalOf(harness.hub(0), cluster, { instance: "one", epoch: 4n }), poll)
      .toContain("NOT_LEADER");
    await sql`
      update inventory_report set ended_at = clock_timestamp() - interval '61 s' where cluster = ${cluster}
    `.execute(harness.store.db);
    const restored = await begin(harness.hub(0), cluster, { instance: "one", epoch: 2n });
    restored.cut();
  });

  it("another agent of the same lease may begin when the first is silent, also when its hub died", async () => {
    const cluster = await harness.createCluster();
    const hub = await harness.open();
    await begin(hub, cluster, { instance: "one" });
    expect(await refusalOf(harness.hub(1), cluster, { instance: "other" })).toContain("INVENTORY_NOT_LEADER");
    hub.stop();
    await sql`
      update inventory_report set heard_at = clock_timestamp() - interval '13 s' where cluster = ${cluster}
    `.execute(harness.store.db);
    const other = await begin(harness.hub(1), cluster, { instance: "other" });
    await put(other, 1n, "a");
    hub.wake();
    other.cut();
  });

  it("there is one winner of many that begin at once", { timeout: 120_000 }, async () => {
    const cluster = await harness.createCluster();
    for (let round = 0; round < 15; round++) {
      const agents = harness.hubs.slice(0, 3).map((hub) => hub.dial(cluster));
      const outcomes = await Promise.all(
        agents.map(async (agent, index) => {
          try {
            await agent.start();
            agent.send({ case: "kinds", value: { changed: [{ ...pods, state: "synced" }] } });
            for (let at = 1; at <= 3; at++) await put(agent, BigInt(at), `${round}-${index}-${at}`);
            return "done";
          } catch (error) {
            return String(error).includes("INVENTORY_SUPERSEDED") ? "superseded" : String(error);
          }
        }),
      );
      expect(outcomes.filter((one) => one !== "superseded" && one !== "done")).toEqual([]);
      expect(outcomes).toContain("done");
      for (const agent of agents) agent.cut();
    }
  });
});

describe("what hubs know of reports that others have", () => {
  it("is what the reporting hub knows, though clocks differ by minutes", async () => {
    const cluster = await harness.createCluster();
    const agent = await begin(harness.hub(0), cluster);
    await put(agent, 1n, "a", "b");
    agent.send({
      case: "alive",
      value: { ages: [{ kind: 1, verifiedMsAgo: 7_000 }], oldestPendingMs: 3_000, pendingChanges: 5 },
    });
    for (const hub of harness.hubs.slice(0, 3)) {
      await expect
        .poll(() => hub.inventory.freshness(cluster), poll)
        .toMatchObject({ pendingChanges: 5, kinds: [{ kind: "pods", state: "synced", objects: 2 }] });
      const { ageMs = -1, lagMs } = hub.inventory.freshness(cluster);
      expect(ageMs).toBeGreaterThanOrEqual(6_500);
      expect(ageMs).toBeLessThan(40_000);
      expect(lagMs).toBeGreaterThanOrEqual(2_500);
      expect(lagMs).toBeLessThan(36_000);
      expect(hub.staleness(cluster)).toBeUndefined();
      expect(hub.inventory.kinds(cluster)).toMatchObject([{ kind: "pods", kindName: "Pod" }]);
    }
    // Kinds that change, and go.
    const widgets = { ...pods, id: 3, resource: "widgets", group: "example.com", kind: "Widget" };
    const printerColumnsJson = JSON.stringify([{ name: "Size", type: "string", jsonPath: ".spec.size" }]);
    agent.send({ case: "kinds", value: { changed: [{ ...widgets, state: "synced", printerColumnsJson }] } });
    const kindsAt = (index: number): string[] =>
      harness
        .hub(index)
        .inventory.kinds(cluster)
        .map(({ kind }) => kind)
        .sort();
    await expect.poll(() => [kindsAt(1), kindsAt(2)], poll).toEqual(Array(2).fill(["pods", "widgets.example.com"]));
    expect(
      harness
        .hub(2)
        .inventory.kinds(cluster)
        .find(({ kind }) => kind !== "pods")?.printerColumns,
    ).toMatchObject([{ name: "Size" }]);
    agent.send({ case: "kinds", value: { removed: [1] } });
    await expect.poll(() => [kindsAt(1), kindsAt(2)], poll).toEqual(Array(2).fill(["widgets.example.com"]));
    expect(await listLive(cluster)).toEqual([]);
    agent.cut();
  });

  it("says that a report is over, why, and since when", async () => {
    const cluster = await harness.createCluster();
    const agent = await begin(harness.hub(0), cluster);
    await expect.poll(() => harness.hub(2).inventory.kinds(cluster).length, poll).toBe(1);
    agent.cut();
    const hasEnded = async (): Promise<boolean> => {
      const row = await harness.store.db
        .selectFrom("inventory_report")
        .select("ended_at")
        .where("cluster", "=", cluster)
        .executeTakeFirst();
      return row !== undefined && row.ended_at !== null;
    };
    await expect.poll(hasEnded, poll).toBe(true);
    await sql`
      update inventory_report set ended_at = ended_at - interval '16 s', revision = (
        select value from change_counter where topic = 'inventory-reports'
      ) + 1 where cluster = ${cluster}
    `.execute(harness.store.db);
    await sql`update change_counter set value = value + 1 where topic = 'inventory-reports'`.execute(harness.store.db);
    await expect
      .poll(() => harness.hub(2).staleness(cluster)?.reason, poll)
      .toBe("The agent that reported its objects is gone.");
    const sinceMs = harness.hub(2).staleness(cluster)?.sinceMs ?? 0;
    expect(Math.abs(harness.hub(2).clock.now() - sinceMs - 16_000)).toBeLessThan(20_000);
  });

  it("says that a report is silent whose hub died", async () => {
    const cluster = await harness.createCluster();
    const hub = await harness.open();
    await begin(hub, cluster);
    await expect.poll(() => harness.hub(1).inventory.kinds(cluster).length, poll).toBe(1);
    hub.stop();
    await sql`
      update inventory_report set heard_at = heard_at - interval '21 s', revision = (
        select value from change_counter where topic = 'inventory-reports'
      ) + 1 where cluster = ${cluster}
    `.execute(harness.store.db);
    await sql`update change_counter set value = value + 1 where topic = 'inventory-reports'`.execute(harness.store.db);
    await expect.poll(() => harness.hub(1).staleness(cluster)?.reason, poll).toMatch(/silent/);
    const late = await harness.open();
    expect(late.staleness(cluster)?.reason).toMatch(/silent/);
    hub.wake();
  });

  it("has the kind of a change before that is told, also where the report went away unnoticed", async () => {
    await using several = await openSeveralHubs({ hubs: [{ reportsLateMs: 5_000 }, {}] });
    const [late, other] = several.hubs as [SharingHub, SharingHub];
    const cluster = await several.createCluster();
    const first = await begin(late, cluster);
    await put(first, 1n, "a");
    await expect.poll(() => late.told.length, poll).toBe(1);
    const known: boolean[] = [];
    late.inventory.onCommitted((news) => {
      for (const { kind } of news) known.push(late.inventory.kind(cluster, kind) !== undefined);
    });
    const next = await begin(other, cluster);
    next.send({ case: "kinds", value: { changed: [{ ...pods, id: 2, resource: "gadgets", group: "example.com" }] } });
    next.send({ case: "batch", value: { sequence: 1n, changes: [applied(2, pod("g"))] } });
    await next.until("ack");
    await expect.poll(() => known, poll).toEqual([true]);
    await expect(first.next()).rejects.toThrow("INVENTORY_SUPERSEDED");
    next.cut();
  });

  it("is kept by a hub that takes a report over", async () => {
    const cluster = await harness.createCluster();
    const first = await begin(harness.hub(0), cluster);
    await put(first, 1n, "a", "b", "c");
    first.send({ case: "alive", value: { ages: [{ kind: 1, verifiedMsAgo: 100 }] } });
    await expect.poll(() => harness.hub(1).inventory.freshness(cluster).verifiedAt, poll).toBeDefined();
    first.cut();
    const agent = harness.hub(1).dial(cluster);
    await agent.start();
    expect(harness.hub(1).inventory.freshness(cluster).kinds).toMatchObject([{ kind: "pods", objects: 3 }]);
    expect(harness.hub(1).inventory.freshness(cluster).ageMs).toBeLessThan(30_000);
    agent.cut();
  });
});

it("another cluster that is confirmed at one hub replaces the copy that another has", async () => {
  const cluster = await harness.createCluster();
  const first = await begin(harness.hub(0), cluster, { uid: "first" });
  await put(first, 1n, "a");
  await expect.poll(() => harness.hub(1).inventory.kinds(cluster).length, poll).toBe(1);
  await expect.poll(() => harness.hub(1).clusters.uids(cluster).known, poll).toBe("first");
  expect(await refusalOf(harness.hub(1), cluster, { uid: "second", epoch: 9n })).toContain(
    "INVENTORY_CLUSTER_REPLACED",
  );
  await harness.hub(1).inventory.confirmReplacement(cluster, "second");
  await expect(first.next()).rejects.toThrow("INVENTORY_SUPERSEDED");
  expect(await listLive(cluster)).toEqual([]);
  await expect.poll(() => harness.hub(2).clusters.uids(cluster).known, poll).toBe("second");
  const second = await begin(harness.hub(2), cluster, { uid: "second", epoch: 1n });
  await put(second, 1n, "b");
  await expect.poll(() => harness.hub(0).inventory.freshness(cluster).kinds, poll).toMatchObject([{ objects: 1 }]);
  second.cut();
});

it("a cluster's share of the store holds over hubs", { timeout: 120_000 }, async () => {
  await using small = await openSeveralHubs({ hubs: [{}, {}], limits: { clusterMaxObjects: 64 } });
  const cluster = await small.createCluster();
  for (let round = 0; round < 12; round++) {
    const agent = await begin(small.hub(round % 2), cluster);
    const changes = Array.from({ length: 16 }, (_, index) => applied(1, pod(`${round}-${index}`)));
    agent.send({ case: "batch", value: { sequence: 1n, changes } });
    await agent.until("ack");
    agent.cut();
  }
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from inventory_object`.execute(
    small.store.db,
  );
  expect(rows[0]?.count).toBe(64);
  for (const hub of small.hubs) {
    await expect
      .poll(() => hub.inventory.freshness(cluster).kinds, poll)
      .toMatchObject([{ state: "unavailable", code: "INVENTORY_QUOTA_OBJECTS", objects: 64 }]);
  }
});
