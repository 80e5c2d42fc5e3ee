import { expect, it } from "vitest";
import { applied, type FakeAgent, type InventoryHarness, pod, pods, startInventory } from "./inventory.fixture.ts";

const synced = { ...pods, state: "synced" } as const;

it("keeps as many objects as a cluster may have, says what it refuses, and stores deletions all the same", async () => {
  await using harness = await startInventory({ limits: { clusterMaxObjects: 10 } });
  const cluster = await harness.createCluster();
  const agent = await begin(harness, cluster);
  const neighbour = await begin(harness, await harness.createCluster());
  const uids = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
  const many = uids.map((uid) => applied(1, pod(uid)));
  expect(await write(agent, 1n, many)).toEqual(["INVENTORY_QUOTA_OBJECTS"]);
  expect(await countLive(harness, cluster)).toBe(10);
  expect(harness.inventory.freshness(cluster).kinds).toMatchObject([
    { kind: "pods", state: "unavailable", code: "INVENTORY_QUOTA_OBJECTS", objects: 10 },
  ]);
  // It is told beside the answer.
  const types = async () => (await harness.clusters.listEvents(cluster, 10)).map(({ type }) => type);
  await expect.poll(types).toContain("inventory-limited");
  await write(neighbour, 1n, [applied(1, pod("z"))]);

  // Objects that are there may change, and go; those that went make room.
  harness.clock.move(61_000);
  await write(agent, 2n, [applied(1, pod("a", { phase: "Failed" })), applied(1, pod("k"))]);
  expect(await countLive(harness, cluster)).toBe(10);
  await write(agent, 3n, [removed("b"), removed("c")]);
  expect(await countLive(harness, cluster)).toBe(8);
  harness.clock.move(61_000);
  agent.send({ case: "compare", value: { kind: 1, bucketCount: 1 } } as never);
  await agent.until("digests");
  await write(agent, 4n, [applied(1, pod("k")), applied(1, pod("l"))]);
  expect(await countLive(harness, cluster)).toBe(10);
  agent.send({ case: "alive", value: { ages: [{ kind: 1, verifiedMsAgo: 0 }] } } as never);
  await expect.poll(() => harness.inventory.freshness(cluster).kinds[0]?.state).toBe("synced");
});

it("bounds the bytes of a cluster, deleted objects among them, which go when room is needed", async () => {
  const maxBytes = 200_000;
  await using harness = await startInventory({ limits: { clusterMaxBytes: maxBytes } });
  const cluster = await harness.createCluster();
  const agent = await begin(harness, cluster);
  let sequence = 0n;
  // Made and deleted, again and again: what is kept of them would fill the disk.
  for (let round = 0; round < 20; round++) {
    await write(agent, ++sequence, [applied(1, large(`r${round}`))]);
    await write(agent, ++sequence, [removed(`r${round}`)]);
    harness.clock.move(61_000);
  }
  expect(await countBytes(harness, cluster)).toBeLessThan(maxBytes);
  expect(harness.committed.filter(({ change }) => change === "created")).toHaveLength(20);
  const codes: string[] = [];
  for (let round = 0; round < 10; round++) {
    codes.push(...(await write(agent, ++sequence, [applied(1, large(`s${round}`))])));
  }
  expect(codes).toEqual(["INVENTORY_QUOTA_BYTES"]);
  expect(await countBytes(harness, cluster)).toBeLessThan(maxBytes);
});

it("weighs deletions in what may be on its way", async () => {
  await using harness = await startInventory();
  const agent = await begin(harness, await harness.createCluster());
  const many = Array.from({ length: 20_000 }, (_, index) => removed(`u${index}`));
  const batch = (sequence: bigint): never => ({ case: "batch", value: { sequence, changes: many } }) as never;
  agent.send(batch(1n), batch(2n));
  await expect(agent.until("refusal")).rejects.toThrow("INVENTORY_CREDIT_EXCEEDED");
});

async function begin(harness: InventoryHarness, cluster: string): Promise<FakeAgent> {
  const agent = harness.dial(cluster);
  await agent.start();
  agent.send({ case: "kinds", value: { changed: [synced as never] } } as never);
  return agent;
}

/** Gives the codes of what was refused before it was acknowledged. */
async function write(agent: FakeAgent, sequence: bigint, changes: readonly object[]): Promise<string[]> {
  agent.send({ case: "batch", value: { sequence, changes } } as never);
  const codes: string[] = [];
  while (true) {
    const message = await agent.next();
    if (message.case === "refusal") codes.push(message.value.code);
    if (message.case === "ack") return codes;
  }
}

function removed(uid: string): object {
  return { kind: 1, uid, deleted: true };
}

/** Makes a text that no compression makes smaller. */
function large(uid: string): ReturnType<typeof pod> {
  const noise = Buffer.from(crypto.getRandomValues(new Uint8Array(18_000))).toString("base64");
  return pod(uid, { image: noise });
}

async function countLive({ store }: InventoryHarness, cluster: string): Promise<number> {
  const rows = store.db.selectFrom("inventory_object").select("uid").where("cluster", "=", cluster);
  return (await rows.where("deleted_at", "is", null).execute()).length;
}

async function countBytes({ store }: InventoryHarness, cluster: string): Promise<number> {
  const rows = await store.db.selectFrom("inventory_object").select("body").where("cluster", "=", cluster).execute();
  return rows.reduce((sum, { body }) => sum + JSON.stringify(body).length, 0);
}
