// Pages of objects that are large, as they lie in the store: some compressed to next to nothing, some not at all.
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { caller, nowMs, type ObjectsHarness, setObjectsHarness, when } from "./objects-harness.fixture.ts";

let harness: ObjectsHarness;
const everything = { principal: caller("everything", { clusters: ["east"] }), nowMs };
const mebibyte = 1024 * 1024;
const pageBytes = 8 * mebibyte;
const pods = Array.from({ length: 40 }, (_, index) => `pod-${String(index).padStart(2, "0")}`);
const nodes = ["node-0", "node-1", "node-2"];

beforeAll(async () => {
  harness = await setObjectsHarness(["east"]);
  for (const [index, name] of pods.entries()) {
    const text = index % 2 === 0 ? "again and ".repeat(mebibyte / 10) : randomBytes(mebibyte / 2).toString("hex");
    await harness.add("east", "pods", { name, namespace: "shop", text });
  }
  for (const [index, name] of nodes.entries()) {
    await harness.add("east", "nodes", { name, text: "large ".repeat(index === 1 ? 2 * mebibyte : 10) });
  }
}, 60_000);

afterAll(() => harness?.[Symbol.asyncDispose]());

test.each([{ include: "object" as const }, {}])("a page ends before it has too many bytes: %j", async (include) => {
  const pages = await readAll({ kind: "pods", limit: 500, ...include });

  expect(pages.flat().map(({ name }) => name)).toEqual(pods);
  expect(pages.length).toBe(6);
  for (const page of pages) expect(sizeOf(page)).toBeLessThanOrEqual(pageBytes * 1.01);
});

test("a page of large objects ends at its limit, too", async () => {
  const pages = await readAll({ kind: "pods", limit: 3, include: "object", sort: "-name" });

  expect(pages.flat().map(({ name }) => name)).toEqual(pods.toReversed());
  expect(new Set(pages.slice(0, -1).map(({ length }) => length))).toEqual(new Set([3]));
});

test("an object that is larger than a page comes alone", async () => {
  const pages = await readAll({ kind: "nodes", include: "object" });

  expect(pages.map((page) => page.map(({ name }) => name))).toEqual(nodes.map((name) => [name]));
  expect(sizeOf(pages[1] ?? [])).toBeGreaterThan(pageBytes);
});

test("what only names objects doesn't end early", async () => {
  const changes = await harness.objects.changes({ kind: "pods", since: when, status: true, limit: 500 }, everything);
  expect(changes.next).toBeUndefined();
  expect(changes.items.map(({ object }) => object.name).sort()).toEqual(pods);
  expect(changes.items[0]?.object).toMatchObject({ apiVersion: "v1", kindName: "Pod" });
});

async function readAll(query: Parameters<ObjectsHarness["objects"]["list"]>[0]) {
  const pages = [];
  let cursor: string | undefined;
  do {
    const { items, next } = await harness.objects.list({ ...query, cursor }, everything);
    pages.push(items);
    cursor = next;
  } while (cursor !== undefined);
  return pages;
}

function sizeOf(page: readonly { readonly object?: unknown }[]): number {
  return page.reduce((sum, { object }) => sum + JSON.stringify(object ?? null).length, 0);
}
