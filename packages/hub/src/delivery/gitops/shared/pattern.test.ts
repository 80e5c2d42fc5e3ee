import { performance } from "node:perf_hooks";
import { expect, test } from "vitest";
import { readPattern } from "./pattern.ts";

test.each([
  ["*", "east", true],
  ["**", "a/b", true],
  ["east", "east", true],
  ["east", "east-2", false],
  ["eas?", "east", true],
  ["eas?", "eas", false],
  ["prod-*", "prod-", true],
  ["prod-*", "preprod-1", false],
  ["*-a*b", "x-aab", true],
  ["*-a*b", "x-aabc", false],
  ["east.1", "eastx1", false],
  ["east-[0-3]", "east-2", true],
  ["east-[0-3]", "east-4", false],
  ["east-[!0-3]", "east-4", true],
  ["{east,west}-*", "west-1", true],
  ["{east,west}-*", "north-1", false],
  ["a\\*", "a*", true],
  ["a\\*", "ab", false],
  ["", "", true],
  ["", "a", false],
])("%s and %s: %s", (pattern, text, isMatch) => {
  expect(readPattern(pattern)?.(text)).toBe(isMatch);
});

test.each(["[a", "{a", "{a,{b,c}}", "a]", "\\", `${"a".repeat(300)}`, "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"])(
  "%s can't be read",
  (pattern) => expect(readPattern(pattern)).toBeUndefined(),
);

test("a pattern that almost matches in many ways takes no longer than its length and the text's ask for", () => {
  const before = performance.now();
  expect(readPattern(`${"*a".repeat(100)}b`)?.("a".repeat(20_000))).toBe(false);
  expect(performance.now() - before).toBeLessThan(5_000);
});
