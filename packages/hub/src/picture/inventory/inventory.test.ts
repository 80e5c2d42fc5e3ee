import { bucketOf } from "@fairlead/protocol";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  applied,
  appliedJson,
  type FakeAgent,
  type InventoryHarness,
  pod,
  pods,
  startInventory,
} from "./inventory.fixture.ts";

let harness: InventoryHarness;
beforeAll(async () => {
  harness = await startInventory();
}, 60_000);
afterAll(() => harness[Symbol.asyncDispose]());

async function listBodies(cluster: string): Promise<Record<string, unknown>> {
  const { rows } = await sql<{ uid: string; body: unknown }>`
    select uid, body from inventory_object where cluster = ${cluster} and deleted_at is null
  `.execute(harness.store.db);
  return Object.fromEntries(rows.map((row) => [row.uid, row.body]));
}

/** An agent that has said that it observes pods. */
async function begin(cluster: string): Promise<FakeAgent> {
  const agent = harness.dial(cluster);
  await agent.start();
  agent.send({ case: "kinds", value: { changed: [pods] } });
  return agent;
}

const sequences = new WeakMap<FakeAgent, bigint>();
async function report(agent: FakeAgent, changes: readonly object[]): Promise<void> {
  const sequence = (sequences.get(agent) ?? 0n) + 1n;
  sequences.set(agent, sequence);
  agent.send({ case: "batch", value: { sequence, changes: [...changes] } });
  expect((await agent.until("ack")).sequence).toBe(sequence);
}

function changesOf(cluster: string): string[] {
  return harness.committed.filter((each) => each.cluster === cluster).map(({ uid, change }) => `${change} ${uid}`);
}

describe("the hub's copy of a cluster", () => {
  it("has what an agent sent when it is acknowledged, and compares it by what is stored", async () => {
    const cluster = await harness.createCluster();
    const agent = await begin(cluster);
    agent.send({ case: "compare", value: { kind: 1, bucketCount: 1 } });
    expect(await agent.until("digests")).toMatchObject({ kind: 1, objectCount: 0, digests: [0n] });
    const changes = ["a", "b", "c"].map((uid) => applied(1, pod(uid)));
    await report(agent, changes);
    expect(await listBodies(cluster)).toEqual({ a: pod("a"), b: pod("b"), c: pod("c") });

    agent.send({ case: "compare", value: { kind: 1, bucketCount: 4 } });
    const expected = [0n, 0n, 0n, 0n];
    for (const { uid, version } of changes) expected[bucketOf(uid, 4)] = (expected[bucketOf(uid, 4)] ?? 0n) ^ version;
    expect(await agent.until("digests")).toMatchObject({ objectCount: 3, digests: expected });

    agent.send({ case: "listBuckets", value: { kind: 1, bucketCount: 1, buckets: [0] } });
    const { uids, versions } = await agent.until("bucketEntries");
    expect(new Map(uids.map((uid, at) => [uid, versions[at]]))).toEqual(
      new Map(changes.map(({ uid, version }) => [uid, version])),
    );
    agent.end();
    await expect(agent.next()).rejects.toThrow("ended");
  });

  it("tells listeners what each change was, once", async () => {
    const cluster = await harness.createCluster();
    const agent = await begin(cluster);
    await report(agent, [applied(1, pod("a")), applied(1, pod("b"))]);
    await report(agent, [applied(1, pod("a"))]);
    await report(agent, [applied(1, pod("a", { phase: "Failed" }))]);
    await report(agent, [applied(1, pod("a", { phase: "Failed", image: "web:2" }))]);
    await report(agent, [applied(1, pod("b", { phase: "Failed" })), { kind: 1, uid: "b", deleted: true }]);
    await report(agent, [{ kind: 1, uid: "b", deleted: true }]);
    await report(agent, [applied(1, pod("b"))]);
    expect(changesOf(cluster)).toEqual(["created a", "created b", "status a", "updated a", "deleted b", "created b"]);
    expect(harness.committed.find((each) => each.cluster === cluster && each.uid === "a")).toMatchObject({
      kind: "pods",
      namespace: "default",
      name: "pod-a",
      labels: { app: "web" },
      object: pod("a"),
    });
    expect(harness.inventory.freshness(cluster).kinds).toMatchObject([{ kind: "pods", objects: 2 }]);
  });

  it("says when what was wanted of an object changed, whatever became of its status", async () => {
    const cluster = await harness.createCluster();
    const agent = await begin(cluster);
    const createdAt = new Date("2029-12-31T23:00:00Z");
    await report(agent, [applied(1, pod("a"))]);
    harness.clock.move(1000);
    await report(agent, [applied(1, pod("a", { phase: "Pending" }))]);
    const { rows } = await sql<{ changed_at: Date; spec_changed_at: Date; health_changed_at: Date }>`
      select changed_at, spec_changed_at, health_changed_at from inventory_object where cluster = ${cluster}
    `.execute(harness.store.db);
    expect(rows).toEqual([
      { changed_at: new Date(harness.clock.now()), spec_changed_at: createdAt, health_changed_at: expect.any(Date) },
    ]);
  });

  it("keeps all digits of whole numbers of 64 bits, and tells when the last one changes", async () => {
    const cluster = await harness.createCluster();
    const agent = await begin(cluster);
    const withNumber = (number: string) => {
      const { spec: _spec, ...object } = pod("a");
      return appliedJson(1, "a", JSON.stringify(object).replace(/}$/, `,"spec":{"n":${number},"m":[${number}]}}`));
    };
    await report(agent, [withNumber("9007199254740993")]);
    expect(JSON.stringify((await listBodies(cluster))["a"])).toContain("9007199254740993");
    await report(agent, [withNumber("9007199254740992")]);
    expect(changesOf(cluster)).toEqual(["created a", "updated a"]);
    expect(JSON.stringify((await listBodies(cluster))["a"])).not.toContain("9007199254740993");

    const last = withNumber("-9223372036854775808");
    await report(agent, [last]);
    agent.send({ case: "compare", value: { kind: 1, bucketCount: 1 } });
    expect(await agent.until("digests")).toMatchObject({ objectCount: 1, digests: [last.version] });
  });

  it("takes an event's own time for the time of its change, and no time far ahead", async () => {
    const cluster = await harness.createCluster();
    const agent = harness.dial(cluster);
    await agent.start();
    const kind = { ...pods, resource: "events", kind: "Event" };
    agent.send({ case: "kinds", value: { changed: [kind] } });
    const event = (uid: string, times: object) => applied(1, { ...pod(uid), kind: "Event", ...times });
    const nowMs = harness.clock.now();
    const ago = (seconds: number): string => new Date(nowMs - seconds * 1000).toISOString();
    await report(agent, [
      event("c-counted", { firstTimestamp: ago(900), lastTimestamp: ago(10) }),
      event("a-series", { lastTimestamp: ago(800), series: { lastObservedTime: ago(20) } }),
      event("b-new-style", { lastTimestamp: null, eventTime: ago(30) }),
      event("d-plain", {}),
      event("e-ahead", { lastTimestamp: ago(-60) }),
      event("f-far-ahead", { lastTimestamp: ago(-1e9) }),
    ]);
    const times = async () => {
      const { rows } = await sql<{ uid: string; at: Date }>`
        select uid, changed_at as at from inventory_object where cluster = ${cluster} order by changed_at
      `.execute(harness.store.db);
      return rows.map(({ uid, at }) => `${uid} ${(nowMs - at.getTime()) / 1000}`);
    };
    const plain = `d-plain ${(nowMs - Date.parse("2029-12-31T23:00:00Z")) / 1000}`;
    const told = ["b-new-style 30", "a-series 20", "c-counted 10", "e-ahead -60", "f-far-ahead -3600"];
    expect(await times()).toEqual([plain, ...told]);

    harness.clock.move(5_000);
    await report(agent, [event("b-new-style", { eventTime: ago(30), series: { lastObservedTime: ago(5) } })]);
    expect((await times())[3]).toBe("b-new-style 5");
  });

  it("goes on counting where it was when the hub starts again, and knows its copy from its rows", async () => {
    const cluster = await harness.createCluster();
    const agent = await begin(cluster);
    const changes = ["a", "b"].map((uid) => applied(1, pod(uid)));
    await report(agent, [...changes, applied(1, pod("c"))]);
    await report(agent, [{ kind: 1, uid: "c", deleted: true }]);
    const before = harness.inventory.revision;
    // The newest change is of an object that is no longer there.
    await sql`delete from inventory_object where cluster = ${cluster} and uid = 'c'`.execute(harness.store.db);
    agent.cut();
    await harness.restart();
    expect(harness.inventory.revision).toBe(before);
    expect(harness.inventory.freshness(cluster).kinds).toMatchObject([{ kind: "pods", objects: 2 }]);
    expect(harness.inventory.kinds(cluster)).toMatchObject([{ kind: "pods", kindName: "Pod", version: "v1" }]);

    const next = await begin(cluster);
    next.send({ case: "compare", value: { kind: 1, bucketCount: 1 } });
    const digest = changes.reduce((sum, { version }) => sum ^ version, 0n);
    expect(await next.until("digests")).toMatchObject({ objectCount: 2, digests: [digest] });
    await report(next, [applied(1, pod("d"))]);
    expect(harness.committed.at(-1)?.revision).toBeGreaterThan(before);
    const revisions = harness.committed.map(({ revision }) => revision);
    expect(revisions).toEqual(revisions.toSorted((one, other) => one - other));
    expect(new Set(revisions).size).toBe(revisions.length);
  });

  it("keeps deleted objects for a day", async () => {
    const cluster = await harness.createCluster();
    const agent = await begin(cluster);
    await report(agent, [applied(1, pod("a")), applied(1, pod("b"))]);
    await report(agent, [{ kind: 1, uid: "a", deleted: true }]);
    const count = async (): Promise<number> => {
      const { rows } = await sql<{ n: number }>`
        select count(*)::int as n from inventory_object where cluster = ${cluster}`.execute(harness.store.db);
      return rows[0]?.n ?? -1;
    };
    const deletedAt = harness.clock.now();
    // Work beside the calls sets its next timer when it is through.
    const wait = async (): Promise<number> => {
      harness.clock.move(5 * 60_000);
      return await count();
    };
    while (harness.clock.now() < deletedAt + 23 * 3_600_000) expect(await wait()).toBe(2);
    await expect.poll(wait).toBe(1);
    expect(harness.clock.now()).toBeGreaterThan(deletedAt + 24 * 3_600_000);
  });

  it("forgets a kind that is no longer observed, told or left out of what is complete", async () => {
    const cluster = await harness.createCluster();
    const agent = await begin(cluster);
    const secrets = { ...pods, id: 2, resource: "secrets", kind: "Secret" };
    agent.send({ case: "kinds", value: { changed: [secrets] } });
    await report(agent, [applied(1, pod("a")), applied(2, pod("s"))]);
    agent.send({ case: "kinds", value: { removed: [2] } });
    // Messages that were on their way are for nobody any more.
    await report(agent, [applied(2, pod("late"))]);
    expect(harness.inventory.kinds(cluster).map(({ kind }) => kind)).toEqual(["pods"]);
    expect(Object.keys(await listBodies(cluster))).toEqual(["a"]);
    agent.cut();

    const next = harness.dial(cluster);
    await next.start();
    next.send({ case: "kinds", value: { changed: [secrets] } });
    next.send({ case: "kinds", value: { complete: true } });
    await expect.poll(() => harness.inventory.kinds(cluster).map(({ kind }) => kind)).toEqual(["secrets"]);
    expect(changesOf(cluster)).toEqual(["created a", "created s", "forgotten s", "forgotten a"]);
  });

  it("sums up nodes and pods", async () => {
    const cluster = await harness.createCluster();
    const agent = await begin(cluster);
    agent.send({ case: "kinds", value: { changed: [{ ...pods, id: 2, resource: "nodes", kind: "Node" }] } });
    const node = {
      apiVersion: "v1",
      kind: "Node",
      metadata: { uid: "n", name: "n" },
      status: {
        capacity: { cpu: "4", memory: "8Gi", pods: "110" },
        allocatable: { cpu: "3920m", memory: "7Gi", pods: "100" },
        conditions: [{ type: "Ready", status: "True" }],
      },
    };
    await report(agent, [
      applied(2, node),
      ...["a", "b"].map((uid) => applied(1, pod(uid))),
      applied(1, pod("done", { phase: "Succeeded" })),
    ]);
    expect(await harness.inventory.facts([cluster, "nobody"])).toEqual(
      new Map([
        [
          cluster,
          {
            nodes: 1,
            readyNodes: 1,
            pods: 3,
            podPhases: { Running: 2, Succeeded: 1 },
            capacity: { cpuMillis: 4000, memoryBytes: 8 * 2 ** 30, pods: 110 },
            allocatable: { cpuMillis: 3920, memoryBytes: 7 * 2 ** 30, pods: 100 },
            requests: { cpuMillis: 500, memoryBytes: 128 * 2 ** 20, pods: 2 },
          },
        ],
      ]),
    );
  });

  it("goes with its cluster, and isn't there when another one is added under the name", async () => {
    const cluster = await harness.createCluster();
    const agent = await begin(cluster);
    await report(agent, [applied(1, pod("a"))]);
    await harness.clusters.remove(cluster);
    await expect(agent.next()).rejects.toThrow("INVENTORY_CLUSTER_GONE");
    await expect.poll(() => listBodies(cluster)).toEqual({});
    expect(harness.inventory.kinds(cluster)).toEqual([]);
  });
});
