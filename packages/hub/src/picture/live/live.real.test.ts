import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { liveSubprotocol } from "@fairlead/contract";
import { FairleadError } from "@fairlead/kernel";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import type { Principal } from "../../people/access/index.ts";
import { caller, type ObjectsHarness, setObjectsHarness } from "../objects/objects-harness.fixture.ts";
import { createLive, type Live } from "./index.ts";
import { TestClient } from "./live-client.fixture.ts";
import { noRuns } from "./no-runs.fixture.ts";

let harness: ObjectsHarness;
let live: Live;
let server: Server;
let listeners: Set<() => void>;
const reads = { now: 0, most: 0 };
let tellRevoked: (event: { readonly cluster: string }) => void;
const signedOut = new Set<string>();
const removed = new Set<string>();

const shop = { clusters: ["east"], namespaces: ["shop"] };
const callers: Readonly<Record<string, Principal>> = {
  "Bearer all": caller("everything", { clusters: ["east", "west"] }),
  "Bearer shop": caller("shopper", shop),
};

beforeAll(async () => {
  harness = await setObjectsHarness();
}, 60_000);

afterAll(() => harness?.[Symbol.asyncDispose]());

beforeEach(async () => {
  await harness.clear();
  listeners = new Set();
  reads.most = 0;
  signedOut.clear();
  removed.clear();
  caller("shopper", shop);
  const principals = new Map(Object.entries(callers));
  live = createLive({
    access: {
      authenticate(authorization) {
        const principal = principals.get(authorization ?? "");
        if (!principal) throw new FairleadError({ code: "AUTH_INVALID", message: "no", httpStatus: 401 });
        return principal;
      },
      authorize: harness.access.authorize,
      isSignedIn: ({ name }) => !signedOut.has(name),
      onChanged(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    clusters: {
      exists: (name) => !removed.has(name),
      onRevoked(listener) {
        tellRevoked = listener;
        return () => undefined;
      },
    },
    inventory: harness.inventory,
    objects: {
      ...harness.objects,
      storeFor: (...args) => ({ ...harness.objects.storeFor(...args), ...countReads(harness.objects.store) }),
    },
    subscribeToRuns: noRuns,
    log: pino({ level: "silent" }),
  });
  server = createServer().listen(0, "127.0.0.1");
  server.on("upgrade", (req, socket, head) => live.handleUpgrade(req, socket as never, head));
  await new Promise((resolve) => server.once("listening", resolve));
});

afterEach(async () => {
  await live[Symbol.asyncDispose]();
  server.close();
  server.closeAllConnections();
});

test("a subscription gets what there is, then what changes, then what is gone", async () => {
  await addPod("east", "a", { app: "web" });
  await addPod("west", "b", { app: "db" });
  await using client = await connect("all");
  client.send({ type: "subscribe", id: "1", filter: { kind: "pods", labelSelector: "app" } });
  await client.until((state) => state.cursor !== undefined);
  expect(client.names()).toEqual(["east/a", "west/b"]);
  expect(client.tables).toEqual(["pods"]);

  await addPod("east", "c", { app: "web" });
  await client.until(() => client.names().length === 3);
  await harness.change("east-pods-shop-a", { deletedAt: new Date(), change: "deleted" });
  await client.until(() => client.names().length === 2);
  // It is there and no longer what was asked for.
  await harness.change("west-pods-shop-b", { labels: { other: "yes" } });
  await client.until(() => client.names().length === 1);

  expect(client.names()).toEqual(["east/c"]);
});

test("who gives no credit gets nothing, and then the newest state", async () => {
  await using client = await connect("all");
  client.send({ type: "subscribe", id: "1", filter: { kind: "pods" }, credit: 1 });
  await client.until((state) => state.cursor !== undefined);
  const uid = await addPod("east", "a");
  await client.until(() => client.names().length === 1);
  const before = client.messages.length;

  for (let round = 0; round < 50; round += 1) await harness.change(uid, { labels: { round: String(round) } });
  await addPod("east", "b");
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(client.messages.length).toBe(before);
  client.send({ type: "credit", id: "1", add: 4 });
  await client.until(() => client.names().length === 2);

  expect(client.item("east/a")?.labels).toEqual({ round: "49" });
  expect(client.messages.length).toBe(before + 1);
});

test("a client that comes back with its cursor gets only what it missed", async () => {
  for (const name of ["a", "b", "c"]) await addPod("east", name);
  const first = await connect("all");
  first.send({ type: "subscribe", id: "1", filter: { kind: "pods" } });
  await first.until((state) => state.cursor !== undefined);
  const { cursor = "" } = first;
  await first[Symbol.asyncDispose]();
  await harness.change("east-pods-shop-a", { deletedAt: new Date(), change: "deleted" });
  await addPod("east", "d");

  await using second = await connect("all");
  second.send({ type: "subscribe", id: "1", filter: { kind: "pods" }, cursor });
  await second.until((state) => state.cursor !== undefined);

  expect(second.names()).toEqual(["east/d"]);
  expect(second.removed).toEqual(["east-pods-shop-a"]);
  expect(second.isReset).toBe(false);
});

test.each(["999999.1", "1.1", "1.1.abc", "nonsense"])("the cursor %s begins anew and says so", async (cursor) => {
  await addPod("east", "a");
  await using client = await connect("all");
  client.send({ type: "subscribe", id: "1", filter: { kind: "pods" }, cursor });
  await client.until((state) => state.cursor !== undefined);

  expect(client.names()).toEqual(["east/a"]);
  expect(client.isReset).toBe(true);
});

test("nobody gets what they may not see, not even that it is gone", async () => {
  await addPod("east", "a");
  await addPod("west", "b");
  await addPod("east", "c", {}, "data");
  await using client = await connect("shop");
  client.send({ type: "subscribe", id: "1", filter: { kind: "pods" } });
  await client.until((state) => state.cursor !== undefined);
  await harness.change("west-pods-shop-b", { deletedAt: new Date(), change: "deleted" });
  await harness.change("east-pods-data-c", { labels: { now: "changed" } });
  await addPod("east", "d");
  await client.until(() => client.names().length === 2);

  expect(client.names()).toEqual(["east/a", "east/d"]);
  expect(client.removed).toEqual([]);
  expect(client.ages).toEqual(["east"]);
});

test("a sign-out ends the connection at once", async () => {
  await using client = await connect("all");
  client.send({ type: "subscribe", id: "1", filter: { kind: "pods" } });
  await client.until((state) => state.cursor !== undefined);

  signedOut.add("everything");
  for (const tell of listeners) tell();

  expect(await client.closed).toEqual({ code: 4401, reason: "LIVE_SIGNED_OUT" });
  expect(client.errors).toEqual(["LIVE_SIGNED_OUT"]);
});

test("a right that is taken away ends the subscription", async () => {
  await addPod("east", "a");
  await using client = await connect("shop");
  client.send({ type: "subscribe", id: "1", filter: { kind: "pods" } });
  await client.until((state) => state.cursor !== undefined);

  caller("shopper", { clusters: ["east"], namespaces: [] });
  for (const tell of listeners) tell();
  await addPod("east", "b");
  await client.until((state) => state.errors.length > 0);

  expect(client.names()).toEqual(["east/a"]);
});

test("how old the data is comes at once and when a cluster's state changes", async () => {
  await using client = await connect("all");
  client.send({ type: "subscribe", id: "1", filter: { kind: "pods" } });
  await client.until((state) => state.ages.length === 2);
  harness.freshness.set("east", { state: "offline" });
  harness.inventory.tellFreshness();

  await client.until((state) => state.states["east"] === "offline");
});

test("a token in a subprotocol is used and not said back", async () => {
  const protocol = `base64url.bearer.fairlead.${Buffer.from("all").toString("base64url")}`;
  await using client = await connect(undefined, [protocol, liveSubprotocol]);

  client.send({ type: "subscribe", id: "1", filter: { kind: "pods" } });
  await client.until((state) => state.cursor !== undefined);

  expect(client.protocol).toBe(liveSubprotocol);
});

test.each([
  ["nobody", [liveSubprotocol], 401],
  ["all", ["other.v1"], 400],
])("a connection of %s with %j is refused with %i", async (token, protocols, status) => {
  await expect(connect(token, protocols)).rejects.toThrow(String(status));
});

test.each(["x", "[]", '{"type":"subscribe"}', '{"type":"subscribe","id":"1","filter":{"colour":"red"}}'])(
  "a connection ends on the message %s",
  async (text) => {
    await using client = await connect("all");
    client.sendText(text);

    expect(await client.closed).toEqual({ code: 1008, reason: "LIVE_REQUEST_INVALID" });
  },
);

test("a subscription that can't be is an error of its own", async () => {
  await using client = await connect("all");
  client.send({ type: "subscribe", id: "1", filter: { kind: "ships" } });
  client.send({ type: "subscribe", id: "2", filter: { kind: "pods" } });
  await client.until((state) => state.cursor !== undefined && state.errors.length > 0);

  expect(client.errors).toEqual(["OBJECTS_KIND_UNKNOWN"]);
});

test("what is given up costs nothing any more", async () => {
  await using client = await connect("all");
  client.send({ type: "subscribe", id: "1", filter: { kind: "pods" } });
  await client.until((state) => state.cursor !== undefined);
  expect(live.counters.subscriptions).toBe(1);
  client.send({ type: "unsubscribe", id: "1" });
  await expect.poll(() => live.counters.subscriptions).toBe(0);
  await client[Symbol.asyncDispose]();

  await expect.poll(() => live.counters.connections).toBe(0);
});

test("an id that is given up and used again at once is the newer subscription", async () => {
  await addPod("east", "a");
  await harness.add("east", "nodes", { name: "node-1" });
  await using client = await connect("all");
  client.send({ type: "subscribe", id: "1", filter: { kind: "pods" } });
  client.send({ type: "unsubscribe", id: "1" });
  client.send({ type: "subscribe", id: "1", filter: { kind: "nodes" } });
  await client.until((state) => state.cursor !== undefined);

  expect(client.names()).toEqual(["east/node-1"]);
  expect(client.errors).toEqual([]);
  expect(live.counters.subscriptions).toBe(1);
});

test("credit that comes before the subscription is there counts", async () => {
  await addPod("east", "a");
  await using client = await connect("all");
  client.send({ type: "subscribe", id: "1", filter: { kind: "pods" }, credit: 1 });
  client.send({ type: "credit", id: "1", add: 1 });
  await client.until((state) => state.cursor !== undefined);

  expect(client.names()).toEqual(["east/a"]);
});

test("when a cluster is removed, who saw it begins anew without it", async () => {
  await addPod("east", "a");
  await using client = await connect("all");
  client.send({ type: "subscribe", id: "1", filter: { kind: "pods", cluster: "east" } });
  client.send({ type: "subscribe", id: "2", filter: { kind: "pods", cluster: "west" } });
  await client.until((state) => state.names().length === 1);
  removed.add("east");
  tellRevoked({ cluster: "east" });
  await client.until((state) => state.errors.length > 0);

  expect(client.errors).toEqual(["LIVE_RIGHTS_CHANGED"]);
  expect(live.counters.subscriptions).toBe(1);
});

test("when a cluster's labels change, who chose it by them begins anew without it", async () => {
  await addPod("west", "a");
  await using client = await connect("all");
  client.send({ type: "subscribe", id: "1", filter: { kind: "pods", clusterSelector: "side=west" } });
  await client.until((state) => state.names().length === 1);
  harness.labelsOf.set("west", { side: "north" });
  for (const listener of listeners) listener();
  await client.until((state) => state.errors.length > 0);
  harness.labelsOf.clear();

  expect(client.errors).toEqual(["LIVE_RIGHTS_CHANGED"]);
});

test("a cursor isn't resumed from with other rights, or for another filter", async () => {
  const cursorOf = async (filter: object, cursor?: string): Promise<{ cursor: string; isReset: boolean }> => {
    await using client = await connect("shop");
    client.send({ type: "subscribe", id: "1", filter, ...(cursor === undefined ? {} : { cursor }) });
    await client.until((state) => state.cursor !== undefined);
    return { cursor: client.cursor ?? "", isReset: client.isReset };
  };
  await addPod("east", "a");
  await addPod("east", "b", {}, "data");
  const { cursor } = await cursorOf({ kind: "pods" });

  expect(await cursorOf({ kind: "pods" }, cursor)).toMatchObject({ isReset: false });
  expect(await cursorOf({ kind: "pods", name: "a" }, cursor)).toMatchObject({ isReset: true });
  caller("shopper", { ...shop, namespaces: ["shop", "data"] });
  expect(await cursorOf({ kind: "pods" }, cursor)).toMatchObject({ isReset: true });
});

test("who asks for one object hears nothing of others", async () => {
  await using client = await connect("all");
  client.send({ type: "subscribe", id: "1", filter: { kind: "pods", name: "a" } });
  await client.until((state) => state.cursor !== undefined);
  await addPod("east", "b");
  await addPod("east", "a");
  await client.until((state) => state.names().length === 1);

  expect(client.removed).toEqual([]);
});

test("large objects come a few at a time, in a snapshot, as changes and after an absence", async () => {
  const mebibyte = 1024 * 1024;
  const uids = new Map<string, string>();
  for (let index = 10; index < 30; index += 1) {
    const text = index === 15 ? "huge ".repeat(mebibyte) : `${index % 2}`.repeat(0.9 * mebibyte);
    uids.set(`east/${index}`, await harness.add("east", "pods", { name: String(index), namespace: "shop", text }));
  }
  const request = { type: "subscribe", id: "1", filter: { kind: "pods" }, include: "object", credit: 200 } as const;
  let cursor: string | undefined;
  {
    await using client = await connect("all");
    client.send(request);
    await client.until((state) => state.cursor !== undefined);
    expect(client.names()).toEqual([...uids.keys()]);
    await changeAll("followed");
    await expectAll(client, "followed");
    cursor = client.cursor;
  }
  await changeAll("missed");
  await using client = await connect("all");
  client.send({ ...request, cursor });
  await expectAll(client, "missed");
  expect(client.isReset).toBe(false);

  async function changeAll(round: string): Promise<void> {
    for (const uid of uids.values()) await harness.change(uid, { labels: { round } });
  }

  async function expectAll(client: TestClient, round: string): Promise<void> {
    await client.until(() => [...uids.keys()].every((name) => client.item(name)?.labels["round"] === round));
    const crowded = client.messages.filter(({ items, sizeBytes }) => items > 1 && sizeBytes > 2.1 * mebibyte);
    expect(crowded).toEqual([]);
    expect(client.messages.some(({ items }) => items > 1)).toBe(true);
  }
}, 60_000);

test("subscriptions of one connection read one after the other", async () => {
  await addPod("east", "a");
  await using client = await connect("all");
  for (let id = 0; id < 8; id += 1) client.send({ type: "subscribe", id: String(id), filter: { kind: "pods" } });
  await client.until(({ messages }) => messages.length === 8);

  expect(reads.most).toBe(1);
});

function countReads(store: ObjectsHarness["objects"]["store"]): ObjectsHarness["objects"]["store"] {
  return {
    ...store,
    async list(options) {
      reads.now += 1;
      reads.most = Math.max(reads.most, reads.now);
      return await store.list(options).finally(() => {
        reads.now -= 1;
      });
    },
  };
}

function addPod(cluster: string, name: string, labels = {}, namespace = "shop"): Promise<string> {
  return harness.add(cluster, "pods", { name, namespace, labels, spec: {}, status: { phase: "Running" } });
}

async function connect(token: string | undefined, protocols = [liveSubprotocol]): Promise<TestClient> {
  const { port } = server.address() as AddressInfo;
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const webSocket = new WebSocket(`ws://127.0.0.1:${port}/api/v1/live`, protocols, { headers });
  const client = new TestClient(webSocket);
  await new Promise((resolve, reject) => webSocket.once("open", resolve).once("error", reject));
  return client;
}
