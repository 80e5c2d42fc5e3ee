import { expect, test } from "vitest";
import { readExpression, readGlob } from "./glob.ts";

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
  ["{a,{b,c}}", "c", true],
  ["a,b*", "a,b", true],
  ["a.(b)+*", "a.(b)+c", true],
  ["[a^]", "^", true],
  ["a\\*", "a*", true],
  ["a\\*", "ab", false],
  ["", "", true],
  ["", "a", false],
])("%s and %s: %s", (pattern, text, isMatch) => {
  expect(readGlob(pattern)?.(text)).toBe(isMatch);
});

test.each(["[a", "{a", "a}", "a]", "\\", `${"a".repeat(300)}*`, "[b-a]"])("%s can't be read", (pattern) =>
  expect(readGlob(pattern)).toBeUndefined(),
);

test("a name without anything special in it is that name, however long", () => {
  expect(readGlob("a".repeat(300))?.("a".repeat(300))).toBe(true);
});

test("what almost matches in many ways takes no longer than its length and the text's ask for", () => {
  const before = performance.now();
  expect(readGlob(`${"*a".repeat(30)}b`)?.("a".repeat(2_000))).toBe(false);
  expect(readExpression("^(a|a)*$")?.(`${"a".repeat(63)}!`)).toBe(false);
  // A machine that backtracks would need longer than there is time.
  expect(performance.now() - before).toBeLessThan(5_000);
});
