// A store that fails, two agents that both report, a cluster that another one took the place of.
import { FairleadError } from "@fairlead/kernel";
import type { KyselyPlugin } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { applied, type FakeAgent, type InventoryHarness, pod, pods, startInventory } from "./inventory.fixture.ts";

let harness: InventoryHarness;
/** `before`: nothing is done. `after`: it is done, and nobody hears of it. */
let failing: "before" | "after" | undefined;
let failures = 0;
const breaking: KyselyPlugin = {
  transformQuery({ node }) {
    if (failing === "before") fail();
    return node;
  },
  async transformResult({ result }) {
    if (failing === "after") fail();
    return result;
  },
};
beforeAll(async () => {
  harness = await startInventory({ wrap: (db) => db.withPlugin(breaking) });
}, 60_000);
beforeEach(() => {
  failing = undefined;
  failures = 0;
});
afterAll(() => harness[Symbol.asyncDispose]());

function fail(): never {
  failures++;
  throw new FairleadError({ code: "STORE_FULL", message: "no room", httpStatus: 507, retryable: true });
}

async function begin(cluster: string, options: Parameters<FakeAgent["start"]>[0] = {}): Promise<FakeAgent> {
  const agent = harness.dial(cluster);
  await agent.start(options);
  agent.send({ case: "kinds", value: { changed: [{ ...pods, state: "synced" }] } });
  return agent;
}

async function refusalOf(
  cluster: string,
  options: { uid?: string; instance?: string; epoch?: bigint },
): Promise<string> {
  const agent = harness.dial(cluster);
  return await agent.start(options).then(
    () => "",
    (error: Error) => error.message,
  );
}

async function retryUntil(isDone: () => boolean): Promise<void> {
  await expect
    .poll(
      () => {
        harness.clock.move(500);
        return isDone();
      },
      { timeout: 20_000 },
    )
    .toBe(true);
}

describe("while the store fails", () => {
  // The next writer waits for the next try.
  afterEach(async () => {
    failing = undefined;
    let isDone = false;
    const agent = harness.dial(await harness.createCluster());
    void agent.start().then(() => {
      isDone = true;
    });
    await retryUntil(() => isDone);
    agent.cut();
  });

  it.each(["before", "after"] as const)(
    "nothing is acknowledged, and later everything is kept and told once (%s)",
    async (how) => {
      const cluster = await harness.createCluster();
      const agent = await begin(cluster);
      agent.send({ case: "compare", value: { kind: 1, bucketCount: 1 } });
      await agent.until("digests");
      failing = how;
      let acknowledged = 0n;
      const reading = (async () => {
        while (acknowledged < 2n) acknowledged = (await agent.until("ack")).sequence;
      })();
      agent.send({ case: "batch", value: { sequence: 1n, changes: [applied(1, pod("a")), applied(1, pod("b"))] } });
      agent.send({ case: "batch", value: { sequence: 2n, changes: [{ kind: 1, uid: "a", deleted: true }] } });
      await retryUntil(() => failures > 3);
      expect(acknowledged).toBe(0n);
      expect(harness.inventory.totals()).toMatchObject({ isStoreFailing: true });
      expect(harness.committed.filter((each) => each.cluster === cluster)).toEqual([]);

      failing = undefined;
      await retryUntil(() => acknowledged === 2n);
      await reading;
      const told = harness.committed.filter((each) => each.cluster === cluster);
      // An object that came and went before it could be stored may never be told of at all.
      expect(told.filter(({ uid }) => uid === "a").at(-1)?.change ?? "deleted").toBe("deleted");
      expect(told.filter(({ uid }) => uid === "b").map(({ change }) => change)).toEqual(["created"]);
      agent.send({ case: "compare", value: { kind: 1, bucketCount: 1 } });
      expect(await agent.until("digests")).toMatchObject({ objectCount: 1, digests: [applied(1, pod("b")).version] });
      agent.cut();
    },
  );

  it("a cluster says so, and that its picture grows old", async () => {
    const cluster = await harness.createCluster();
    const agent = await begin(cluster);
    agent.send({ case: "alive", value: { ages: [{ kind: 1, verifiedMsAgo: 100 }] } });
    agent.send({ case: "compare", value: { kind: 1, bucketCount: 1 } });
    await agent.until("digests");
    expect(harness.inventory.freshness(cluster).kinds).toMatchObject([{ state: "synced", ageMs: 100 }]);
    failing = "before";
    agent.send({ case: "batch", value: { sequence: 1n, changes: [applied(1, pod("a"))], oldestAgeMs: 50 } });
    await retryUntil(() => failures > 3);
    harness.clock.move(40_000);
    agent.send({
      case: "alive",
      value: { ages: [{ kind: 1, verifiedMsAgo: 0 }], oldestPendingMs: 40_050, pendingChanges: 1 },
    });
    await expect.poll(() => harness.inventory.freshness(cluster).pendingChanges).toBe(1);
    const { lagMs, ageMs } = harness.inventory.freshness(cluster);
    expect(lagMs).toBeGreaterThanOrEqual(40_000);
    expect(ageMs).toBeGreaterThanOrEqual(40_000);
    expect(harness.staleness(cluster)?.reason).toMatch(/store/);
    agent.cut();
  });

  it("an agent that sends more than it may is refused, before the hub holds it all", async () => {
    const cluster = await harness.createCluster();
    const agent = await begin(cluster);
    agent.send({ case: "compare", value: { kind: 1, bucketCount: 1 } });
    await agent.until("digests");
    failing = "before";
    const object = applied(1, pod("a", { note: "x".repeat(400_000) }));
    for (let at = 1n; at <= 4n; at++) agent.send({ case: "batch", value: { sequence: at, changes: [object] } });
    await expect(agent.next()).rejects.toThrow("INVENTORY_CREDIT_EXCEEDED");
    expect(harness.inventory.totals().errorsByCode.get("INVENTORY_CREDIT_EXCEEDED")).toBe(1);
  });

  it("a call that ends meanwhile takes what it had not stored with it", async () => {
    const cluster = await harness.createCluster();
    const agent = await begin(cluster);
    agent.send({ case: "compare", value: { kind: 1, bucketCount: 1 } });
    await agent.until("digests");
    failing = "before";
    agent.send({ case: "batch", value: { sequence: 1n, changes: [applied(1, pod("a"))] } });
    await retryUntil(() => failures > 0);
    expect(harness.inventory.totals().reports).toBe(1);
    agent.cut();
    await retryUntil(() => harness.inventory.totals().reports === 0);
    failing = undefined;
    // The writer may be about to wait for its next try.
    const begun = Promise.withResolvers<FakeAgent>();
    let isBegun = false;
    void begin(cluster).then((one) => {
      isBegun = true;
      begun.resolve(one);
    }, begun.reject);
    await retryUntil(() => isBegun);
    const next = await begun.promise;
    next.send({ case: "compare", value: { kind: 1, bucketCount: 1 } });
    expect(await next.until("digests")).toMatchObject({ objectCount: 0 });
    next.cut();
  });
});

describe("of two agents that both report", () => {
  it("the one with the higher lease goes on, and the other is ended and refused", async () => {
    const cluster = await harness.createCluster();
    const old = await begin(cluster, { instance: "old", epoch: 4n });
    const young = await begin(cluster, { instance: "young", epoch: 5n });
    await expect(old.next()).rejects.toThrow("INVENTORY_SUPERSEDED");
    expect(await refusalOf(cluster, { instance: "old", epoch: 4n })).toContain("INVENTORY_NOT_LEADER");
    young.send({ case: "batch", value: { sequence: 1n, changes: [applied(1, pod("a"))] } });
    await young.until("ack");
    young.cut();
  });

  it("the first goes on while both say the same lease, and the same agent may begin again", async () => {
    const cluster = await harness.createCluster();
    const one = await begin(cluster, { instance: "one" });
    expect(await refusalOf(cluster, { instance: "other" })).toContain("INVENTORY_NOT_LEADER");
    const again = await begin(cluster, { instance: "one" });
    await expect(one.next()).rejects.toThrow("INVENTORY_SUPERSEDED");
    again.cut();
  });

  it("a lower lease is refused for a minute, also by a hub that has started again, and not for ever", async () => {
    const cluster = await harness.createCluster();
    (await begin(cluster, { instance: "young", epoch: 9n })).cut();
    await harness.restart();
    expect(await refusalOf(cluster, { instance: "old", epoch: 2n })).toContain("INVENTORY_NOT_LEADER");
    harness.clock.move(60_000);
    const restored = await begin(cluster, { instance: "old", epoch: 2n });
    expect(await refusalOf(cluster, { instance: "older", epoch: 1n })).toContain("INVENTORY_NOT_LEADER");
    restored.cut();
  });
});

describe("another cluster under the same name", () => {
  it("is refused until it is confirmed, and then replaces the copy whole", async () => {
    const cluster = await harness.createCluster();
    const first = await begin(cluster, { uid: "first" });
    first.send({ case: "batch", value: { sequence: 1n, changes: [applied(1, pod("a"))] } });
    await first.until("ack");
    first.cut();

    expect(await refusalOf(cluster, { uid: "second", epoch: 99n })).toContain("INVENTORY_CLUSTER_REPLACED");
    expect(await refusalOf(cluster, { uid: "second", epoch: 99n })).toContain("INVENTORY_CLUSTER_REPLACED");
    expect(harness.inventory.freshness(cluster)).toMatchObject({ kubeSystemUid: "first", replacementUid: "second" });
    expect(harness.inventory.freshness(cluster).kinds).toMatchObject([{ kind: "pods", objects: 1 }]);
    expect(harness.clusters.get(cluster).refusal?.hint).toMatch(/confirm/);
    const alarms = (await harness.clusters.listEvents(cluster, 10)).filter(({ level }) => level === "alarm");
    expect(alarms).toMatchObject([{ type: "cluster-replaced" }]);
    await harness.restart();
    expect(harness.inventory.freshness(cluster)).toMatchObject({ replacementUid: "second" });

    await expect(harness.inventory.confirmReplacement(cluster, "third")).rejects.toMatchObject({
      code: "INVENTORY_REPLACEMENT_UNKNOWN",
    });
    await harness.inventory.confirmReplacement(cluster, "second");
    expect(harness.inventory.kinds(cluster)).toEqual([]);
    const second = await begin(cluster, { uid: "second", epoch: 1n });
    second.send({ case: "compare", value: { kind: 1, bucketCount: 1 } });
    expect(await second.until("digests")).toMatchObject({ objectCount: 0 });
    expect(harness.inventory.freshness(cluster)).toMatchObject({ kubeSystemUid: "second", replacementUid: undefined });
    expect(harness.committed.filter((each) => each.cluster === cluster).map(({ change }) => change)).toEqual([
      "created",
      "forgotten",
    ]);
    expect(await refusalOf(cluster, { uid: "first" })).toContain("INVENTORY_CLUSTER_REPLACED");
    second.cut();
  });

  it("is taken for what it is when the first one comes back meanwhile", async () => {
    const cluster = await harness.createCluster();
    (await begin(cluster, { uid: "first" })).cut();
    expect(await refusalOf(cluster, { uid: "second" })).toContain("INVENTORY_CLUSTER_REPLACED");
    const again = await begin(cluster, { uid: "first" });
    expect(harness.inventory.freshness(cluster).replacementUid).toBeUndefined();
    again.cut();
  });
});
