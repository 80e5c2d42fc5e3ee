import { expect, test } from "vitest";
import { mergeValues } from "./merge.ts";
import { putAt, readTargetPath } from "./target-path.ts";

test.each([
  ["maps merge", [{ a: { b: 1, c: 1 } }, { a: { c: 2, d: 2 } }], { a: { b: 1, c: 2, d: 2 } }],
  ["lists replace", [{ a: [1, 2] }, { a: [3] }], { a: [3] }],
  ["null takes away, and tells Helm to", [{ a: { b: 1 } }, { a: null }], { a: null }],
  ["what comes after a null begins anew", [{ a: { b: 1 } }, { a: null }, { a: { c: 1 } }], { a: { c: 1 } }],
  ["a map replaces what is none", [{ a: 1 }, { a: { b: 1 } }], { a: { b: 1 } }],
  ["what is no map replaces one", [{ a: { b: 1 } }, { a: "x" }], { a: "x" }],
  ["an empty map changes nothing", [{ a: { b: 1 } }, { a: {} }], { a: { b: 1 } }],
  ["the later one counts", [{ a: 1 }, { a: 2 }, { a: 3 }], { a: 3 }],
  [
    "false and 0 are values",
    [
      { a: true, b: 1 },
      { a: false, b: 0 },
    ],
    { a: false, b: 0 },
  ],
])("%s", (_what, layers, merged) => {
  expect(layers.reduce<unknown>(mergeValues, {})).toEqual(merged);
});

test("a name of JavaScript's own is a name like any other", () => {
  const layer = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"a": 1}}');
  expect(JSON.stringify(mergeValues({}, layer))).toBe('{"__proto__":{"polluted":1},"constructor":{"a":1}}');
  expect(JSON.stringify(putAt({}, ["__proto__", "polluted"], 1))).toBe('{"__proto__":{"polluted":1}}');
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});

test.each<readonly [string, readonly (string | number)[] | undefined]>([
  ["a", ["a"]],
  ["a.b-c.d_e", ["a", "b-c", "d_e"]],
  ["a[0].b[12][3]", ["a", 0, "b", 12, 3]],
  ["annotations.example\\.com/x", ["annotations", "example.com/x"]],
  ["a\\[0\\]", ["a[0]"]],
  ...["", ".", "a.", ".a", "a..b", "[0]", "a[", "a[x]", "a[0]b", "a\\", "a]"].map((path) => [path, undefined] as const),
])("the path %j is %j", (path, steps) => {
  expect(readTargetPath(path)).toEqual(steps);
});

test.each([
  [{}, ["a", "b"], { a: { b: "v" } }],
  [{ a: { c: 1 } }, ["a", "b"], { a: { c: 1, b: "v" } }],
  [{ a: null }, ["a", "b"], { a: { b: "v" } }],
  [{ a: [1, 2] }, ["a", 1], { a: [1, "v"] }],
  [{}, ["a", 0, "b"], { a: [{ b: "v" }] }],
  [{ a: [1] }, ["a", 2], undefined],
  [{ a: 1 }, ["a", "b"], undefined],
  [{ a: { b: 1 } }, ["a", 0], undefined],
])("into %j at %j", (values, path, result) => {
  expect(putAt(values, path, "v")).toEqual(result);
});
