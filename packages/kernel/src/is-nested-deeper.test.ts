import { expect, test } from "vitest";
import { isNestedDeeper } from "./is-nested-deeper.ts";

test.each([
  ["7", 0, false],
  ["null", 0, false],
  ["[]", 0, true],
  ["[]", 1, false],
  ['{"a":[]}', 1, true],
  ['{"a":1,"b":[[7]]}', 3, false],
  ['{"a":1,"b":[[{}]]}', 3, true],
])("%s in %i levels: %s", (json, levels, isDeeper) => {
  expect(isNestedDeeper(JSON.parse(json), levels)).toBe(isDeeper);
});

test("nesting without end takes no more of the stack than the levels that are asked for", () => {
  expect(isNestedDeeper(JSON.parse(`${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}`), 500)).toBe(true);
});
