import { expect, test } from "vitest";
import { diffLines } from "./diff-lines.ts";

const text = (before: string, after: string): string =>
  diffLines(before, after)
    .map((line) => `${line.sign}${line.text}`)
    .join("\n");

test.each([
  ["a\nb\n", "a\nb\n", ""],
  ["", "a\nb\n", "+a\n+b"],
  ["a\n", "", "-a"],
  ["a\nb\nc\n", "a\nx\nc\n", " a\n-b\n+x\n c"],
  ["a\nc\n", "a\nb\nc\n", " a\n+b\n c"],
  ["a\na\nb\n", "a\nb\na\n", " a\n-a\n b\n+a"],
])("from %j to %j is %j", (before, after, shown) => {
  expect(text(before, after)).toBe(shown);
});

test("only three lines around a change are shown", () => {
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`);
  const changed = lines.with(10, "other");

  expect(diffLines(lines.join("\n"), changed.join("\n")).map((line) => line.text)).toEqual([
    "line 7",
    "line 8",
    "line 9",
    "line 10",
    "other",
    "line 11",
    "line 12",
    "line 13",
  ]);
});

test("texts too large to compare line by line are replaced as a whole, and quickly", () => {
  const many = (word: string): string => Array.from({ length: 20_000 }, (_, index) => `${word} ${index}`).join("\n");

  expect(diffLines(many("a"), many("b"))).toHaveLength(40_000);
});
