// Agents that aren't ours, or are broken. None of it may harm another cluster, or stay.
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

async function begin(): Promise<{ readonly agent: FakeAgent; readonly cluster: string }> {
  const cluster = await harness.createCluster();
  const agent = harness.dial(cluster);
  await agent.start();
  agent.send({ case: "kinds", value: { changed: [pods] } });
  return { agent, cluster };
}

async function readBody(cluster: string, uid: string): Promise<unknown> {
  const { rows } = await sql<{ body: unknown }>`
    select body from inventory_object where cluster = ${cluster} and uid = ${uid}
  `.execute(harness.store.db);
  return rows[0]?.body;
}

describe("an agent that doesn't keep to the rules", () => {
  it("and reports without the role is refused", async () => {
    const agent = harness.dial(await harness.createCluster(), { roles: ["proxy"] });
    agent.send({ case: "start", value: { kubeSystemUid: "u", agentInstanceId: "a" } });
    await expect(agent.next()).rejects.toThrow("INVENTORY_ROLE_REQUIRED");
  });

  it.each([
    ["begins without a beginning", "alive"],
    ["doesn't say of which cluster it is", "start"],
  ] as const)("and %s is refused", async (_what, first) => {
    const agent = harness.dial(await harness.createCluster());
    agent.send({ case: first, value: {} });
    await expect(agent.next()).rejects.toThrow("INVENTORY_REQUEST_INVALID");
  });

  it.each([
    ["a kind's name that is too long", { changed: [{ ...pods, resource: "x".repeat(64) }] }],
    ["a kind's name with a slash", { changed: [{ ...pods, resource: "pods/../nodes" }] }],
    ["a group with a NUL", { changed: [{ ...pods, group: "a\0b" }] }],
    ["a state that there isn't", { changed: [{ ...pods, state: "fine" }] }],
  ])("and says %s is refused", async (_what, value) => {
    const { agent } = await begin();
    agent.send({ case: "kinds", value });
    await expect(agent.next()).rejects.toThrow("INVENTORY_REQUEST_INVALID");
  });

  it.each([0, 3, 131_072, 4_294_967_295])("and compares in %d buckets is refused", async (bucketCount) => {
    const { agent } = await begin();
    agent.send({ case: "compare", value: { kind: 1, bucketCount } });
    await expect(agent.next()).rejects.toThrow("INVENTORY_REQUEST_INVALID");
  });

  it("and asks of a bucket or a kind that there isn't is refused", async () => {
    const one = await begin();
    one.agent.send({ case: "listBuckets", value: { kind: 1, bucketCount: 4, buckets: [4] } });
    await expect(one.agent.next()).rejects.toThrow("INVENTORY_REQUEST_INVALID");
    const other = await begin();
    other.agent.send({ case: "compare", value: { kind: 9, bucketCount: 4 } });
    await expect(other.agent.next()).rejects.toThrow("INVENTORY_REQUEST_INVALID");
  });

  it("and counts its batches wrong is refused", async () => {
    const { agent } = await begin();
    agent.send({ case: "batch", value: { sequence: 2n, changes: [] } });
    await expect(agent.next()).rejects.toThrow("INVENTORY_REQUEST_INVALID");
  });

  it.each([
    ["no JSON", "{", "a"],
    ["an array", "[]", "a"],
    ["nothing", "null", "a"],
    ["no metadata", "{}", "a"],
    ["no name", '{"metadata":{"uid":"a"}}', "a"],
    ["a name that isn't text", '{"metadata":{"uid":"a","name":7}}', "a"],
    ["a name that is too long", `{"metadata":{"uid":"a","name":"${"x".repeat(600)}"}}`, "a"],
    ["a namespace that isn't text", '{"metadata":{"uid":"a","name":"a","namespace":{}}}', "a"],
    ["another object's uid", '{"metadata":{"uid":"b","name":"a"}}', "a"],
    ["an empty uid", '{"metadata":{"uid":"","name":"a"}}', ""],
    ["a uid that is too long", '{"metadata":{"name":"a"}}', "x".repeat(129)],
    ["more than anyone can send", JSON.stringify(pod("a", { note: "x".repeat(4_200_000) })), "a"],
  ])("and sends an object with %s is refused", async (_what, json, uid) => {
    const { agent, cluster } = await begin();
    agent.send({ case: "batch", value: { sequence: 1n, changes: [appliedJson(1, uid, json)] } });
    await expect(agent.next()).rejects.toThrow("INVENTORY_OBJECT_INVALID");
    expect(await readBody(cluster, uid)).toBeUndefined();
  });

  it.each([
    ["one of ours", "addons", "fairlead.dev"],
    ["one that nobody has", "things", "fairlead.dev"],
    ["one of a group below ours", "addons", "more.fairlead.dev"],
  ])("and reports %s as its cluster's own kind is told so, and none of it is kept", async (_what, resource, group) => {
    const { agent, cluster } = await begin();
    const claimed = { ...pods, id: 2, resource, group, kind: "Thing" };
    agent.send({ case: "kinds", value: { changed: [claimed] } });
    agent.send({ case: "batch", value: { sequence: 1n, changes: [applied(1, pod("a")), applied(2, pod("b"))] } });
    const said = new Map<string | undefined, unknown>();
    while (!said.has("ack")) {
      const message = await agent.next();
      said.set(message.case, message.value);
    }
    expect(said.get("refusal")).toMatchObject({ code: "INVENTORY_GROUP_RESERVED" });
    expect(harness.inventory.kinds(cluster).map(({ kind }) => kind)).toEqual(["pods"]);
    expect([await readBody(cluster, "a"), await readBody(cluster, "b")]).toEqual([expect.anything(), undefined]);
  });

  it("and lies about an object's version is refused", async () => {
    const { agent } = await begin();
    agent.send({ case: "batch", value: { sequence: 1n, changes: [{ ...applied(1, pod("a")), version: 7n }] } });
    await expect(agent.next()).rejects.toThrow("INVENTORY_OBJECT_INVALID");
  });

  it("and never begins is let go", async () => {
    const agent = harness.dial(await harness.createCluster());
    const ended = expect(agent.next()).rejects.toThrow("INVENTORY_REQUEST_INVALID");
    await expect.poll(() => harness.clock.pendingCount).toBeGreaterThan(2);
    harness.clock.move(15_000);
    await ended;
  });
});

describe("an agent of one cluster", () => {
  it("can't change what the hub knows of another, whatever it says", async () => {
    const [own, other] = [await begin(), await begin()];
    other.agent.send({ case: "batch", value: { sequence: 1n, changes: [applied(1, pod("a"))] } });
    await other.agent.until("ack");
    const changed = applied(1, pod("a", { image: "evil", cluster: other.cluster }));
    const changes = [changed, { kind: 1, uid: "b", deleted: true }];
    own.agent.send({ case: "batch", value: { sequence: 1n, changes } });
    own.agent.send({ case: "batch", value: { sequence: 2n, changes: [{ kind: 1, uid: "a", deleted: true }] } });
    own.agent.send({ case: "kinds", value: { removed: [1] } });
    await expect.poll(() => harness.inventory.kinds(own.cluster)).toEqual([]);
    expect(await readBody(other.cluster, "a")).toEqual(pod("a"));
    expect(harness.inventory.freshness(other.cluster).kinds).toMatchObject([{ kind: "pods", objects: 1 }]);
  });
});

describe("an agent that sends what is hard to keep", () => {
  it("gets texts kept that a database refuses, as near as can be", async () => {
    const { agent, cluster } = await begin();
    const body = String.raw`{"metadata":{"uid":"a","name":"a","labels":{"x":"1\u0000"}},"t":"\\u0000 \ud83d\ude00 \ud83d!","k\u0000":1}`;
    agent.send({ case: "batch", value: { sequence: 1n, changes: [appliedJson(1, "a", body)] } });
    await agent.until("ack");
    expect(await readBody(cluster, "a")).toEqual({
      metadata: { uid: "a", name: "a", labels: { x: "1\ufffd" } },
      t: "\\u0000 \u{1f600} \ufffd!",
      "k\ufffd": 1,
    });
  });

  it("gets bytes kept that aren't UTF-8", async () => {
    const { agent, cluster } = await begin();
    const good = applied(1, pod("a", { note: "###" }));
    const objectJson = Uint8Array.from(Buffer.from(good.objectJson).map((byte) => (byte === 0x23 ? 0xff : byte)));
    const { toVersion } = await import("@fairlead/protocol");
    const change = { ...good, objectJson, version: toVersion(objectJson) };
    agent.send({ case: "batch", value: { sequence: 1n, changes: [change] } });
    await agent.until("ack");
    expect(await readBody(cluster, "a")).toMatchObject({ note: "\ufffd\ufffd\ufffd" });
  });

  it("gets what the database can't hold kept without its content, and everything beside it whole", async () => {
    const { agent, cluster } = await begin();
    const huge = JSON.stringify(pod("b")).replace(/}$/, `,"n":1${"0".repeat(140_000)}}`);
    const deep = JSON.stringify(pod("c")).replace(/}$/, `,"n":${"[".repeat(3_000)}${"]".repeat(3_000)}}`);
    const changes = [applied(1, pod("a")), appliedJson(1, "b", huge), appliedJson(1, "c", deep), applied(1, pod("d"))];
    agent.send({ case: "batch", value: { sequence: 1n, changes } });
    await agent.until("ack");
    expect(await readBody(cluster, "a")).toEqual(pod("a"));
    expect(await readBody(cluster, "d")).toEqual(pod("d"));
    expect(await readBody(cluster, "b")).toMatchObject({ metadata: { name: "pod-b", annotations: expect.anything() } });
    expect(await readBody(cluster, "c")).toBeDefined();
    // The digests are right all the same, so it isn't sent again and again.
    agent.send({ case: "compare", value: { kind: 1, bucketCount: 1 } });
    const expected = changes.reduce((sum, { version }) => sum ^ version, 0n);
    expect((await agent.until("digests")).digests).toEqual([expected]);
  });

  it("gets 1.5 MB in one object kept", async () => {
    const { agent, cluster } = await begin();
    const object = pod("a", { note: "x".repeat(1_500_000) });
    agent.send({ case: "batch", value: { sequence: 1n, changes: [applied(1, object)] } });
    await agent.until("ack");
    expect(await readBody(cluster, "a")).toEqual(object);
  });

  it("is held up by its own answers when it asks without end and reads nothing", async () => {
    const { agent } = await begin();
    for (let at = 0; at < 2000; at++) {
      agent.send({ case: "listBuckets", value: { kind: 1, bucketCount: 65_536, buckets: [at] } });
    }
    const other = await begin();
    other.agent.send({ case: "batch", value: { sequence: 1n, changes: [applied(1, pod("a"))] } });
    await other.agent.until("ack");
    agent.cut();
  });
});
