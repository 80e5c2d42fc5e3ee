import { expect, test } from "vitest";
import { ListSplitter } from "./split-list.ts";

const items = [
  { metadata: { name: "a" }, data: { quoted: 'say "items":[{ \\', braces: "}]}{[", text: "é – 日本 \u0007 \\" } },
  { metadata: { name: "b" }, items: [{ items: [1, [2, { c: "]" }]] }], empty: {}, none: [] },
  {},
];
const metadata = { resourceVersion: "12", continue: "abc=", managed: [["items"], { items: [1] }] };

const layouts = {
  "metadata before items": JSON.stringify({ kind: "List", metadata, items }),
  "metadata after items": JSON.stringify({ apiVersion: "v1", items, kind: "List", metadata }),
  "spaces between": JSON.stringify({ kind: "List", metadata, items }, null, 2),
  "no items": JSON.stringify({ kind: "List", metadata, items: [] }),
  "null for items": JSON.stringify({ kind: "List", items: null, metadata }),
};

test.each(Object.entries(layouts))("a list with %s is cut at every byte and loses nothing", (_name, text) => {
  const whole = JSON.parse(text);
  const bytes = Buffer.from(text);
  for (let sizeBytes = 1; sizeBytes <= 40; sizeBytes++) expect(split(bytes, sizeBytes)).toEqual(whole);
  expect(split(bytes, bytes.length)).toEqual(whole);
});

test("an item is there as soon as its last byte is", () => {
  const splitter = new ListSplitter();
  expect([...splitter.push(Buffer.from('{"metadata":{},"items":[{"a":1}'))]).toEqual(['{"a":1}']);
  expect([...splitter.push(Buffer.from(',{"b":'))]).toEqual([]);
  expect([...splitter.push(Buffer.from("2}"))]).toEqual(['{"b":2}']);
});

test("a list that isn't whole doesn't look as if it were", () => {
  const bytes = Buffer.from(layouts["metadata before items"]);
  for (const missing of [1, 2, 3, 20]) expect(() => split(bytes.subarray(0, -missing), 7)).toThrow();
});

test("an item beyond the bound is refused before it is whole", () => {
  const splitter = new ListSplitter(1000);
  const start = Buffer.from(`{"items":[{"a":"${"x".repeat(600)}`);
  expect([...splitter.push(start)]).toEqual([]);
  expect(() => [...splitter.push(Buffer.from("x".repeat(600)))]).toThrow(
    expect.objectContaining({ code: "KUBE_ANSWER_TOO_LARGE" }),
  );
});

function split(bytes: Buffer, chunkBytes: number): unknown {
  const splitter = new ListSplitter();
  const found: unknown[] = [];
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    for (const item of splitter.push(bytes.subarray(at, at + chunkBytes))) found.push(JSON.parse(item));
  }
  const outside = JSON.parse(splitter.end());
  return outside.items === null ? outside : { ...outside, items: found };
}
