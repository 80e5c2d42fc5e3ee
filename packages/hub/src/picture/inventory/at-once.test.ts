import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { holdTransaction, untilSomebodyWaits } from "../../platform/store/hold-transaction.fixture.ts";
import { openMemoryStore } from "../../platform/store/memory-store.fixture.ts";
import { createCopyStore, type KindRow } from "./copy-store.ts";
import { createGuard } from "./guard.ts";
import { createObjectStore } from "./object-store.ts";
import type { IncomingRow } from "./read-change.ts";

describe("the copy of clusters, written at once on two connections", () => {
  it("gives revisions in the order of commits, so that no reader passes one that comes later", async () => {
    await using store = await openMemoryStore();
    const first = await holdTransaction(store.queries, (trx) => createObjectStore(trx).apply([row("a", 1n)], 0));
    const second = createObjectStore(store.db).apply([{ ...row("b", 1n), cluster: "west" }], 0);
    await untilSomebodyWaits(store.queries);
    const reader = createObjectStore(store.queries);
    expect(await reader.listSince(0, 10)).toMatchObject({ changes: [] });
    await first.commit();
    await second;
    expect((await reader.listSince(0, 10)).changes.map(({ uid, revision }) => [uid, revision])).toEqual([
      ["a", 1],
      ["b", 2],
    ]);
  });

  it("holds for what is changed, deleted and forgotten, too", async () => {
    await using store = await openMemoryStore();
    const writers = [createObjectStore(store.db), createObjectStore(store.queries)] as const;
    await writers[0].apply(
      Array.from({ length: 200 }, (_, index) => row(`u${index}`, 1n)),
      0,
    );
    const seen = new Set<number>();
    let passed = 0;
    let isOver = false;
    const reading = (async () => {
      for (;;) {
        const wasOver = isOver;
        const { changes } = await createObjectStore(store.queries).listSince(passed, 10_000);
        for (const { revision } of changes) seen.add(revision);
        passed = changes.at(-1)?.revision ?? passed;
        if (wasOver) return;
      }
    })();
    await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        const [writer, cluster] = index % 2 === 0 ? [writers[0], "east"] : [writers[1], "west"];
        const own = [0, 1, 2].map((step) => `u${index * 3 + step}`);
        await writer.apply(
          own.map((uid) => ({ ...row(uid, BigInt(index + 2)), cluster })),
          1,
        );
        if (index % 3 === 0)
          await writer.remove(
            own.map((uid) => ({ cluster, kind: "pods", uid }) as never),
            2,
          );
      }),
    );
    await writers[1].forgetSome({ cluster: "east", nowMs: 3 });
    isOver = true;
    await reading;
    const { rows } = { rows: await store.db.selectFrom("inventory_object").select("revision").execute() };
    expect(rows.filter(({ revision }) => !seen.has(Number(revision)))).toEqual([]);
  });

  it("takes kinds and their ages from two at once, and from a cluster that goes", async () => {
    await using store = await openMemoryStore();
    const kinds = Array.from({ length: 40 }, (_, index) => kindRow(`kind-${index}`));
    await store.db
      .insertInto("cluster")
      .values({ name: "east", labels: "{}", roles: ["observe"], created_at: new Date() })
      .execute();
    const clusters = createCopyStore(store.db);
    await clusters.putCluster({ cluster: "east", kubeSystemUid: "u", leaseEpoch: 1n });
    await clusters.putKinds(kinds);
    await Promise.all(
      Array.from({ length: 30 }, async (_, index) => {
        const writer = createCopyStore(index % 2 === 0 ? store.db : store.queries);
        const some = index % 3 === 0 ? kinds.toReversed() : kinds;
        if (index % 2 === 0) await writer.putKinds(some);
        else await writer.putVerified(some.map(({ cluster, kind }) => ({ cluster, kind, verifiedMs: index * 1_000 })));
      }),
    );
    await Promise.all([
      ...[0, 1, 2].map((index) => clusters.putVerified([{ cluster: "east", kind: `kind-${index}`, verifiedMs: 1 }])),
      store.queries.deleteFrom("cluster").where("name", "=", "east").execute(),
    ]);
    await clusters.putCluster({ cluster: "east", kubeSystemUid: "u", leaseEpoch: 2n });
    expect(await clusters.load()).toEqual({ clusters: [], kinds: [] });
  });
});

it("writes nothing of the clusters in a batch that others report by now", async () => {
  await using store = await openMemoryStore();
  for (const name of ["east", "west"]) {
    await store.db
      .insertInto("cluster")
      .values({ name, labels: "{}", roles: ["observe"], created_at: new Date() })
      .execute();
    await sql`
      insert into inventory_report (cluster, fence, hub, agent, lease_epoch, started_at, heard_at, revision)
      values (${name}, 7, 'hub', 'agent', 1, now(), now(), 1)
    `.execute(store.db);
  }
  const objects = createObjectStore(store.db);
  const clusters = createCopyStore(store.db);
  for (const cluster of ["east", "west"]) await clusters.putCluster({ cluster, kubeSystemUid: "u", leaseEpoch: 1n });
  const both = (uid: string): IncomingRow[] => [row(uid, 1n), { ...row(uid, 1n), cluster: "west" }];
  await objects.apply(both("a"), 0);
  const guard = createGuard([
    ["east", 7],
    ["west", 6],
  ]);
  expect((await objects.apply(both("b"), 1, guard)).map(({ cluster, uid }) => [cluster, uid])).toEqual([["east", "b"]]);
  const removals = ["east", "west"].map((cluster) => ({ type: "remove", cluster, kind: "pods", uid: "a" }) as const);
  expect((await objects.remove(removals, 2, guard)).map(({ cluster }) => cluster)).toEqual(["east"]);
  expect(await objects.forgetSome({ cluster: "west", nowMs: 3 }, guard)).toEqual([]);
  const { changes } = await objects.listSince(0, 10);
  expect(changes.map(({ cluster, uid, change }) => `${cluster} ${uid} ${change}`).sort()).toEqual([
    "east a deleted",
    "east b created",
    "west a created",
  ]);
  await clusters.putKinds([kindRow("pods"), { ...kindRow("pods"), cluster: "west" }], guard);
  await clusters.putCluster({ cluster: "west", kubeSystemUid: "other", leaseEpoch: 9n }, guard);
  expect([...guard.lost]).toEqual(["west"]);
  const { clusters: copies, kinds } = await clusters.load();
  expect(kinds.map(({ cluster }) => cluster)).toEqual(["east"]);
  expect(copies.map(({ kubeSystemUid }) => kubeSystemUid)).toEqual(["u", "u"]);
  await clusters.putKinds([{ ...kindRow("pods"), cluster: "west" }]);
  await clusters.removeKinds("west", ["pods"], guard);
  expect((await clusters.load()).kinds).toHaveLength(2);
});

function row(uid: string, version: bigint): IncomingRow {
  return {
    type: "apply",
    cluster: "east",
    kind: "pods",
    uid,
    namespace: "default",
    name: uid,
    bucket: 1,
    version,
    labels: {},
    owners: [],
    health: undefined,
    healthMessage: undefined,
    createdMs: 0,
    isCut: false,
    wanted: version,
    usage: undefined,
    object: {},
    body: Buffer.from("{}"),
  } as unknown as IncomingRow;
}

function kindRow(kind: string): KindRow {
  return {
    cluster: "east",
    kind,
    group: "",
    version: "v1",
    resource: kind,
    kindName: kind,
    namespaced: true,
    shortNames: [],
    state: "synced",
    sinceMs: 0,
    code: undefined,
    message: undefined,
    verifiedMs: 1,
  };
}
