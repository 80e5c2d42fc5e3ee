import { expect, test } from "vitest";
import type { FoundObject, FoundRow } from "../objects/index.ts";
import { Subscription, type SubscriptionOptions } from "./subscription.ts";

test("what others are told of while it reads is read, however late its answer comes", async () => {
  const harness = begin();
  harness.subscription.resume();
  harness.storeRevision = 11;
  harness.subscription.follow([row(11)], { from: 10, to: 11 });
  await harness.answer([]);
  await harness.answer([row(11)]);

  expect(harness.sent).toEqual(["items 11", "synced 11"]);
});

test("what it has read already doesn't come again in an older state", async () => {
  const harness = begin();
  harness.storeRevision = 12;
  harness.subscription.resume();
  await harness.answer([row(12)]);
  harness.subscription.follow([row(11)], { from: 10, to: 11 });
  harness.subscription.follow([row(12), row(13)], { from: 11, to: 13 });

  expect(harness.sent).toEqual(["items 12", "synced 12", "items 13", "synced 13"]);
});

test("changes of other kinds don't make it read", async () => {
  const harness = begin();
  harness.storeRevision = 15;
  harness.subscription.resume();
  await harness.answer([]);
  harness.subscription.follow([row(16)], { from: 15, to: 16 });

  expect(harness.sent).toEqual(["synced 15", "items 16", "synced 16"]);
});

test("what a message has no room for as it leaves comes with the next", async () => {
  const harness = begin("x".repeat(1_000_000));
  harness.storeRevision = 14;
  harness.subscription.resume();
  await harness.answer([row(11), row(12), row(13), row(14)]);
  await harness.answer([row(13), row(14)]);
  expect(harness.sent).toEqual(["items 11,12", "items 13,14", "synced 14"]);

  harness.subscription.follow([row(15), row(16), row(17)], { from: 14, to: 17 });
  harness.storeRevision = 17;
  expect(harness.sent.slice(3)).toEqual(["items 15,16"]);
  harness.subscription.resume();
  await harness.answer([row(17)]);
  expect(harness.sent.slice(4)).toEqual(["items 17", "synced 17"]);
});

test("a cluster that shows a kind otherwise has a table of its own", async () => {
  const harness = begin();
  harness.subscription.resume();
  await harness.answer([row(11, "east"), row(12, "west"), row(13, "greedy"), row(14, "greedy")]);

  expect(harness.tables).toEqual([
    { kind: "pods", columns: [] },
    { kind: "pods", columns: ["greedy"], clusters: ["greedy"] },
  ]);
});

test.each([
  [["events"], "changed"],
  [["events", "events.events.k8s.io"], "changed"],
  [["events", "pods"], "name"],
  [undefined, "name"],
])("a snapshot of %j begins in the order of %s", async (kinds, name) => {
  const orders: string[] = [];
  const list = async ({ order }: { order: { name: string } }) => {
    orders.push(order.name);
    return { rows: [], hasMore: false };
  };
  const harness = begin("", { revision: undefined, kinds: kinds && new Set(kinds), list });
  harness.subscription.resume();
  await harness.answer([]);

  expect(orders).toEqual([name]);
});

function begin(
  padding = "",
  first: { revision?: undefined; kinds?: ReadonlySet<string> | undefined; list?: object } = {},
) {
  const asked: ((rows: FoundRow[]) => void)[] = [];
  const sent: string[] = [];
  const tables: object[] = [];
  const harness = { storeRevision: 10, sent, tables, answer, subscription: undefined as unknown as Subscription };
  const options = {
    id: "1",
    withObject: false,
    credit: 16,
    revision: "revision" in first ? first.revision : 10,
    newest: 10,
    mark: "m",
    isReset: false,
    view: {
      request: { filter: { labels: [], fields: [] } },
      kinds: first.kinds,
      judge: () => "shown",
      reset: () => undefined,
    },
    storeRevision: () => harness.storeRevision,
    store: {
      list: first.list,
      listChanged: () => new Promise((resolve) => asked.push((rows) => resolve({ rows, hasMore: false }))),
    },
    inTurn: (read: () => Promise<void>) => read(),
    shownKind: ({ cluster }: FoundObject) => (cluster === "greedy" ? greedy : plain),
    formatItem: ({ revision }: FoundObject) => JSON.stringify(`${String(revision)}${padding}`),
    now: () => 0,
    canSend: () => true,
    send(text: string) {
      const { type, items, cursor, tables: columns = [] } = JSON.parse(text);
      for (const { kind, columns: shown, clusters } of columns) tables.push({ kind, columns: shown, clusters });
      sent.push(`${type} ${items?.join().replaceAll("x", "") ?? cursor.split(".")[0]}`);
    },
    onError(error: unknown) {
      throw error;
    },
  };
  harness.subscription = new Subscription(options as unknown as SubscriptionOptions);
  return harness;

  async function answer(rows: FoundRow[]): Promise<void> {
    await expect.poll(() => asked.length, { interval: 1 }).toBe(1);
    asked.shift()?.(rows);
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

function row(revision: number, cluster = "east"): FoundRow {
  return { kind: "pods", cluster, revision } as FoundRow;
}

const info = { kind: "pods", group: "", version: "v1" };
const plain = { info, printer: { columns: [] } };
const greedy = { info, printer: { columns: ["greedy"] } };
