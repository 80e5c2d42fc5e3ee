import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { holdTransaction, untilSomebodyWaits } from "../../platform/store/hold-transaction.fixture.ts";
import type { Store } from "../../platform/store/index.ts";
import { openMemoryStore } from "../../platform/store/memory-store.fixture.ts";
import { createAlarmStore } from "./alarm-store.ts";
import { createEventStore } from "./event-store.ts";
import { createPresence } from "./presence.fixture.ts";
import { openClusters } from "./service.ts";
import type { ClusterChanges, Clusters } from "./types.ts";

let store: Store;
let clusters: Clusters;
beforeAll(async () => {
  store = await openMemoryStore();
  clusters = await openClusters({ db: store.db, links: createPresence() });
});
afterAll(async () => {
  await clusters[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
});

describe("clusters, changed at once on several connections", () => {
  it("get one that two create", async () => {
    const made = await Promise.allSettled(
      Array.from({ length: 20 }, () => clusters.create({ name: "twice", roles: ["proxy"] })),
    );
    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(clusters.exists("twice")).toBe(true);
  });

  it("get all roles of agents that enroll at once", async () => {
    await clusters.create({ name: "roles", roles: ["proxy"] });
    await Promise.all(
      (["observe", "execute", "gitops"] as const).map((role) =>
        clusters.recordEnrollment("roles", { epoch: 0, roles: [role], message: "m" }),
      ),
    );
    const row = await store.db.selectFrom("cluster").select("roles").where("name", "=", "roles").executeTakeFirst();
    expect(row?.roles.toSorted()).toEqual(["execute", "gitops", "observe", "proxy"]);
    expect(clusters.get("roles").roles.toSorted()).toEqual(["execute", "gitops", "observe", "proxy"]);
  });

  it("stay revoked when an answer from before comes late", async () => {
    const late = Promise.withResolvers<void>();
    const delayed = delayAnswers(store, "agent_version", late.promise);
    await using own = await openClusters({ db: delayed, links: createPresence() });
    await own.create({ name: "late", roles: ["proxy"] });
    const hello = own.recordHello("late", { agentVersion: "1" });
    await expect.poll(async () => (await readVersion("late")) ?? 0).toBeGreaterThan(0);
    await own.revoke("late", "stolen");
    late.resolve();
    await hello;
    expect(own.get("late")).toMatchObject({ state: "revoked", stateReason: "stolen" });
    expect(own.isCurrentEpoch("late", 0)).toBe(false);
  });

  it("are there when their name is given again before the removal's answer came", async () => {
    const late = Promise.withResolvers<void>();
    let commits = 0;
    const changes: ClusterChanges = {
      async commit(_topic, work) {
        const turn = ++commits;
        const result = await store.db.transaction().execute(work);
        if (turn === 2) await late.promise;
        return result;
      },
      follow: () => ({ async [Symbol.asyncDispose]() {} }),
      era: 0,
    };
    await using own = await openClusters({ db: store.db, changes, links: createPresence() });
    await own.create({ name: "again", roles: ["proxy"] });
    const removing = own.remove("again");
    await expect.poll(() => readVersion("again")).toBeUndefined();
    await own.create({ name: "again", roles: ["observe"] });
    late.resolve();
    await removing;
    expect(own.get("again").roles).toEqual(["observe"]);
  });

  it("keep so many alarms of a type apart and no more, however many come at once", async () => {
    await clusters.create({ name: "noisy", roles: ["proxy"] });
    const [one, other] = [createAlarmStore(store.db), createAlarmStore(store.queries)];
    await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        (index % 2 === 0 ? one : other).raise("noisy", { type: "token-misused", message: `from ${index}` }, new Date()),
      ),
    );
    const kept = await one.list("noisy");
    expect(kept).toHaveLength(21);
    expect(kept.reduce((sum, { count }) => sum + count, 0)).toBe(100);
  });

  it("tell as many alarms as there are when they are raised and seen at once", async () => {
    await clusters.create({ name: "seen", roles: ["proxy"] });
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        clusters.recordEvent("seen", { type: "token-misused", level: "alarm", message: `from ${index}` }),
      ),
    );
    const alarms = await clusters.listAlarms("seen");
    await Promise.all([
      ...alarms.slice(0, 5).map(({ id, count }) => clusters.seeAlarm("seen", { id, count, by: "alice" })),
      ...[10, 11].map((index) =>
        clusters.recordEvent("seen", { type: "token-misused", level: "alarm", message: `from ${index}` }),
      ),
    ]);
    expect(clusters.get("seen").alarmCount).toBe((await clusters.listAlarms("seen")).length);
  });

  it("keep the newest events, and lose none to one that is removed meanwhile", async () => {
    await clusters.create({ name: "events", roles: ["proxy"] });
    await Promise.all(
      Array.from({ length: 400 }, (_, index) =>
        createEventStore(index % 2 === 0 ? store.db : store.queries).add(
          "events",
          { type: "renewed", message: String(index) },
          new Date(),
        ),
      ),
    );
    // The next one deletes what those at once left to each other.
    await clusters.recordEvent("events", { type: "renewed", message: "last" });
    const kept = await clusters.listEvents("events", 1_000);
    expect(kept).toHaveLength(200);
    expect(kept[0]?.message).toBe("last");

    const removing = await holdTransaction(store.queries, (trx) =>
      sql`delete from cluster where name = 'events'`.execute(trx),
    );
    const recording = clusters.recordEvent("events", { type: "renewed", message: "too late" });
    await untilSomebodyWaits(store.queries);
    await removing.commit();
    await expect(recording).resolves.toBeUndefined();
  });

  it("are stored while somebody holds the row of another, which waits alone", async () => {
    for (const name of ["held", "free-1", "free-2"]) await clusters.create({ name, roles: ["proxy"] });
    const holding = await holdTransaction(store.queries, (trx) =>
      sql`select from cluster where name = 'held' for update`.execute(trx),
    );
    const waiting = clusters.recordHello("held", { agentVersion: "1" });
    const others = ["free-1", "free-2", "free-1"].map((name) => clusters.recordHello(name, { agentVersion: "1" }));
    await Promise.all(others);
    expect(clusters.get("held").agentVersion).toBeUndefined();
    await holding.commit();
    await waiting;
    for (const name of ["held", "free-1", "free-2"]) {
      expect(clusters.get(name).agentVersion).toBe("1");
      expect((await clusters.listEvents(name, 10)).map(({ type }) => type)).toContain("connected");
    }
  });

  it("store whichever cluster the name meant last", async () => {
    await clusters.create({ name: "whose", roles: ["proxy"] });
    await clusters.recordUid("whose", "uid-0");
    await Promise.all(Array.from({ length: 30 }, (_, index) => clusters.recordUid("whose", `uid-${index % 7}`)));
    const row = await store.db
      .selectFrom("cluster")
      .select(["kube_system_uid", "replacement_uid"])
      .where("name", "=", "whose")
      .executeTakeFirst();
    const { known, replacement } = clusters.uids("whose");
    expect(row).toEqual({ kube_system_uid: known, replacement_uid: replacement ?? null });
  });
});

async function readVersion(name: string): Promise<number | undefined> {
  const row = await store.queries.selectFrom("cluster").select("version").where("name", "=", name).executeTakeFirst();
  return row?.version;
}

/** Answers to statements with this text come only when they may: as on a connection that is slower than others. */
function delayAnswers(on: Store, text: string, until: Promise<void>): Store["db"] {
  const held = new WeakSet<object>();
  return on.db.withPlugin({
    transformQuery({ node, queryId }) {
      if (on.db.getExecutor().compileQuery(node, queryId).sql.includes(text)) held.add(queryId);
      return node;
    },
    async transformResult({ result, queryId }) {
      if (held.has(queryId)) await until;
      return result;
    },
  });
}
