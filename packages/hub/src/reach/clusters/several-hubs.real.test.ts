// Hubs on one database know the same of clusters, whichever of them something happened at.
import { createMovableClock } from "@fairlead/kernel/testing";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { holdTransaction } from "../../platform/store/hold-transaction.fixture.ts";
import { type ChangedStore, type ClusterCursor, createChangedStore } from "./changed-store.ts";
import type { PresentLink } from "./index.ts";
import { eachBus, type OneOfHubs, openSeveralHubs, type SeveralHubs } from "./several-hubs.fixture.ts";

describe.each(eachBus)("hubs %s", (_which, options) => {
  let harness: SeveralHubs;
  let one: OneOfHubs;
  let two: OneOfHubs;
  beforeEach(async () => {
    harness = await openSeveralHubs(options);
    [one, two] = [await harness.openHub(), await harness.openHub()];
  });
  afterEach(() => harness[Symbol.asyncDispose]());

  async function create(name = "east"): Promise<string> {
    await one.clusters.create({ name, roles: ["proxy"], labels: { env: "prod" } });
    await two.changes.settled();
    return name;
  }

  it("know each other's clusters, and no more once they are removed", async () => {
    const name = await create();
    expect(two.clusters.get(name)).toEqual(one.clusters.get(name));
    expect(two.clusters.labels(name)).toEqual({ env: "prod" });
    await two.clusters.remove(name);
    await expect.poll(() => one.clusters.exists(name)).toBe(false);
    expect([one.revoked, two.revoked]).toEqual([[name], [name]]);
    await expect(one.clusters.remove(name)).rejects.toMatchObject({ code: "CLUSTER_NOT_FOUND" });
  });

  it("tell their listeners once of a revocation by any of them, and of the way back", async () => {
    const name = await create();
    await two.clusters.revoke(name, "stolen");
    await expect.poll(() => one.revoked).toEqual([name]);
    expect(one.clusters.get(name)).toMatchObject({ state: "revoked", stateReason: "stolen" });
    expect(one.clusters.isCurrentEpoch(name, 0)).toBe(false);
    await one.clusters.recordEnrollment(name, { epoch: 1, roles: ["observe"], message: "back" });
    await expect.poll(() => two.clusters.get(name).state).toBe("never-connected");
    expect(two.clusters.get(name).roles.toSorted()).toEqual(["observe", "proxy"]);
    await Promise.all([one, two].map(({ changes }) => changes.settled()));
    expect([one.revoked, two.revoked]).toEqual([[name], [name]]);
  });

  it("take a name that was given again for another cluster", async () => {
    const name = await create();
    await two.clusters.remove(name);
    await two.clusters.create({ name, roles: ["observe"] });
    await expect.poll(() => one.clusters.exists(name) && one.clusters.get(name).roles).toEqual(["observe"]);
    await one.changes.settled();
    expect(one.revoked).toEqual([name]);
    expect(one.clusters.labels(name)).toEqual({});
  });

  it("go by one of two UIDs that agents say first at the same time, and all judge by it", async () => {
    for (let round = 0; round < 5; round++) {
      const name = await create(`east-${round}`);
      const [here, there] = await Promise.all([
        one.clusters.recordUid(name, `${name}-uid-1`),
        two.clusters.recordUid(name, `${name}-uid-2`),
      ]);
      const hasWon = [here, there].indexOf(undefined);
      expect([here, there][1 - hasWon]).toMatchObject({ code: "CLUSTER_IDENTITY_MISMATCH" });
      await Promise.all([one, two].map(({ changes }) => changes.settled()));
      const known = `${name}-uid-${hasWon + 1}`;
      for (const { clusters } of [one, two]) {
        expect(clusters.uids(name)).toEqual({ known, replacement: `${name}-uid-${2 - hasWon}` });
        expect(clusters.refusal(name, { kubeSystemUid: known })).toBeUndefined();
      }
      // Its links were let in for the other UID.
      expect([one, two][1 - hasWon]?.replaced).toContain(name);
      expect([one, two][hasWon]?.replaced).not.toContain(name);
      expect(await one.clusters.listAlarms(name)).toMatchObject([{ type: "cluster-replaced", count: 1 }]);
    }
  });

  it("judge links again when another one has confirmed which cluster the name means", async () => {
    const name = await create();
    await one.clusters.recordUid(name, "uid-1");
    await one.clusters.recordUid(name, "uid-2");
    await expect.poll(() => two.clusters.uids(name).replacement).toBe("uid-2");
    two.links.push(link(name, "uid-2"));
    const before = two.replaced.length;
    const confirmed = await Promise.all([one, two].map(({ clusters }) => clusters.confirmReplacement(name, "uid-2")));
    expect(confirmed.toSorted()).toEqual([false, true]);
    await expect.poll(() => two.clusters.refusal(name, { kubeSystemUid: "uid-2" })).toBeUndefined();
    await Promise.all([one, two].map(({ changes }) => changes.settled()));
    for (const { clusters } of [one, two]) {
      expect(clusters.refusal(name, { kubeSystemUid: "uid-1" })).toMatchObject({ code: "CLUSTER_IDENTITY_MISMATCH" });
    }
    expect(two.replaced.slice(before)).toEqual([name]);
    await expect(two.clusters.confirmReplacement(name, "uid-3")).rejects.toMatchObject({
      code: "INVENTORY_REPLACEMENT_UNKNOWN",
    });
  });

  it("count alarms and keep events of all of them", async () => {
    const name = await create();
    const alarm = (message: string) => ({ type: "token-misused", level: "alarm", message }) as const;
    await Promise.all(
      [one, two].flatMap(({ clusters }) => [
        clusters.recordEvent(name, alarm("the same")),
        clusters.recordEvent(name, alarm("the same")),
      ]),
    );
    await two.clusters.recordEvent(name, alarm("another"));
    await expect.poll(() => one.clusters.get(name).alarmCount).toBe(2);
    const alarms = await one.clusters.listAlarms(name);
    expect(alarms.map(({ message, count }) => [message, count]).sort()).toEqual([
      ["another", 1],
      ["the same", 4],
    ]);
    const seen = alarms.map(({ id, count }) => ({ id, count, by: "alice" }));
    for (const each of seen) await one.clusters.seeAlarm(name, each);
    await expect.poll(() => two.clusters.get(name).alarmCount).toBe(0);
    const [first = { id: "", count: 0, by: "" }] = seen;
    await expect(two.clusters.seeAlarm(name, first)).rejects.toMatchObject({ code: "CLUSTER_ALARM_NOT_FOUND" });
    const events = await two.clusters.listEvents(name, 100);
    expect(events.filter(({ level }) => level === "alarm")).toHaveLength(5);
  });

  it("show an agent's version, and since when its cluster is away, wherever it was connected", async () => {
    const name = await create();
    await one.clusters.recordHello(name, { agentVersion: "1.2.3", kubernetesVersion: "v1.34.0", clockSkewMs: 7 });
    await one.clusters.recordDisconnect(name, "gone");
    await expect.poll(() => two.clusters.get(name)).toEqual(one.clusters.get(name));
    expect(two.clusters.get(name)).toMatchObject({ state: "offline", agentVersion: "1.2.3" });
    expect(two.clusters.absence(name).sinceMs).toBe(one.clusters.absence(name).sinceMs);
  });

  it("pass nothing that is committed later than what began after it", async () => {
    const [early, late] = [await create("early"), await create("late")];
    const held = await holdTransaction(harness.store.queries, (trx) =>
      sql`update cluster set epoch = epoch + 1, version = version + 1 where name = ${early}`.execute(trx),
    );
    await one.clusters.revoke(late);
    await expect.poll(() => two.revoked).toEqual([late]);
    await two.changes.settled();
    await held.commit();
    await one.changes.commit("clusters", async () => undefined);
    await expect.poll(() => two.revoked).toEqual([late, early]);
  });
});

describe("a hub", () => {
  it("reads of ten thousand clusters those that changed, and nothing when they were seen", async () => {
    await using harness = await openSeveralHubs({ isDeaf: false });
    await sql`
      insert into cluster (name, labels, roles, created_at)
      select 'c' || n, '{}', '{proxy}', now() from generate_series(1, 10000) n
    `.execute(harness.store.db);
    const clock = createMovableClock(Date.now());
    const [one, read] = [await harness.openHub({ clock }), { rows: 0 }];
    await untilNothingIsNew(createChangedStore(harness.store.db));
    const two = await harness.openHub({ db: countRows(harness, read) });
    await two.changes.settled();
    expect(read.rows).toBeGreaterThanOrEqual(10_000);
    read.rows = 0;

    await one.clusters.revoke("c5000");
    await expect.poll(() => two.revoked).toEqual(["c5000"]);
    for (const { name } of one.clusters.list()) one.links.push(link(name));
    clock.move(60_000);
    await expect.poll(async () => (await harness.openHub()).clusters.get("c7").lastSeenAt).toBeDefined();
    await one.clusters.revoke("c6000");
    await expect.poll(() => two.revoked).toEqual(["c5000", "c6000"]);
    await two.changes.settled();
    // Each reading begins with what the one before it ended with.
    expect(read.rows).toBeLessThan(20);
  });

  it("finds a cluster that another one has made before it heard of it", async () => {
    await using harness = await openSeveralHubs({ isDeaf: true });
    const [one, away] = [await harness.openHub(), await harness.openHub({ changesClock: createMovableClock() })];
    await away.changes.settled();
    await one.clusters.create({ name: "new", roles: ["proxy"] });
    expect(away.clusters.exists("new")).toBe(false);
    await away.clusters.meet("new");
    expect(away.clusters.get("new")).toEqual(one.clusters.get("new"));
    await away.clusters.meet("nobody");
    expect(away.clusters.exists("nobody")).toBe(false);
    await expect(away.clusters.create({ name: "new", roles: ["proxy"] })).rejects.toMatchObject({
      code: "CLUSTER_EXISTS",
    });
  });

  it("writes nothing of an agent whose cluster was removed to the one that has its name now", async () => {
    await using harness = await openSeveralHubs({ isDeaf: true });
    const [one, away] = [await harness.openHub(), await harness.openHub({ changesClock: createMovableClock() })];
    await one.clusters.create({ name: "again", roles: ["proxy"] });
    await away.clusters.meet("again");
    await one.clusters.remove("again");
    await one.clusters.create({ name: "again", roles: ["proxy"] });
    const gone = { code: "CLUSTER_NOT_FOUND" };
    await expect(away.clusters.recordHello("again", { kubeSystemUid: "old" })).rejects.toMatchObject(gone);
    await expect(away.clusters.recordHello("again", { agentVersion: "old" })).rejects.toMatchObject(gone);
    await away.clusters.recordDisconnect("again", "gone");
    await one.changes.commit("clusters", async () => undefined);
    await one.changes.settled();
    expect(one.clusters.uids("again").known).toBeUndefined();
    expect(one.clusters.get("again").state).toBe("never-connected");
    expect(one.clusters.get("again")).not.toHaveProperty("agentVersion");
  });

  it("knows when a cluster was last seen that another one held until it was killed", async () => {
    await using harness = await openSeveralHubs({ isDeaf: true });
    const [clock, other] = [createMovableClock(Date.UTC(2030, 0, 1)), createMovableClock(Date.UTC(2030, 0, 1))];
    const [one, two] = [await harness.openHub({ clock }), await harness.openHub({ clock: other })];
    await one.clusters.create({ name: "east", roles: ["proxy"] });
    await one.clusters.recordHello("east", {});
    await two.changes.settled();
    one.links.push(link("east"));
    clock.move(60_000);
    const seen = new Date(clock.now()).toISOString();
    await expect
      .poll(async () => {
        other.move(60_000);
        return two.clusters.get("east").lastSeenAt;
      })
      .toBe(seen);
  });

  it("reads everything again when another server has taken the database over", async () => {
    await using harness = await openSeveralHubs({ isDeaf: true });
    const { clusters } = await harness.openHub();
    await clusters.create({ name: "east", roles: ["proxy"] });
    const store = createChangedStore(harness.store.db);
    const cursor = await untilNothingIsNew(store);
    expect(await store.read(cursor)).toMatchObject({ isWhole: false, rows: [] });
    const elsewhere = { horizon: String(BigInt(cursor.horizon) + 1_000n), server: "another" };
    expect(await store.read(elsewhere)).toMatchObject({ isWhole: true, rows: [{ name: "east" }] });
  });
});

function link(cluster: string, kubeSystemUid?: string): PresentLink {
  return {
    id: crypto.randomUUID(),
    cluster,
    roles: ["proxy"],
    connectedAt: Date.now(),
    notAfter: Date.now() + 60_000,
    remoteAddress: "192.0.2.1",
    hello: { agentInstanceId: "i", agentVersion: "1", kubeSystemUid },
  };
}

/** Gives a cursor that all changes so far lie before. Transactions of other tests on the same server hold it back. */
async function untilNothingIsNew(store: ChangedStore): Promise<ClusterCursor> {
  for (;;) {
    const { cursor } = await store.read(undefined);
    const { isWhole, rows } = await store.read(cursor);
    if (!isWhole && rows.length === 0) return cursor;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function countRows({ store: { db } }: SeveralHubs, read: { rows: number }): typeof db {
  return db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      read.rows += result.rows.filter((row) => "incarnation" in row).length;
      return result;
    },
  });
}
