import { bucketOf } from "@fairlead/protocol";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applied, type InventoryBed, pod, pods, startInventory } from "./inventory.fixture.ts";

let bed: InventoryBed;
beforeAll(async () => {
  bed = await startInventory();
});
afterAll(() => bed[Symbol.asyncDispose]());

async function listBodies(cluster: string): Promise<Record<string, unknown>> {
  const { rows } = await sql<{ uid: string; body: unknown }>`
    select uid, body from inventory_object where cluster = ${cluster} and deleted_at is null
  `.execute(bed.store.db);
  return Object.fromEntries(rows.map((row) => [row.uid, row.body]));
}

describe("the hub's copy of a cluster", () => {
  it("has what an agent sent when it is acknowledged, and compares it by what is stored", async () => {
    const cluster = await bed.createCluster();
    const agent = bed.dial(cluster);
    await agent.start();
    agent.send({ case: "kinds", value: { changed: [pods] } });
    agent.send({ case: "compare", value: { kind: 1, bucketCount: 1 } });
    expect(await agent.until("digests")).toMatchObject({ kind: 1, objectCount: 0, digests: [0n] });
    const changes = ["a", "b", "c"].map((uid) => applied(1, pod(uid)));
    agent.send({ case: "batch", value: { sequence: 1n, changes } });
    expect(await agent.until("ack")).toMatchObject({ sequence: 1n });
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
});
