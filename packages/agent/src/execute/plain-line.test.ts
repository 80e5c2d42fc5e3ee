import { expect, test } from "vitest";
import { plainLine } from "./plain-line.ts";

test.each([
  ["\u001b[31mError:\u001b[0m no", "Error: no"],
  ["\u001b[1;38;5;9m[x]\u001b[K", "[x]"],
  ["\u001b]8;;https://example.com\u0007link\u001b]8;;\u001b\\", "link"],
  ["a\u001b(Bb", "ab"],
  ["[31m isn't one", "[31m isn't one"],
])("no colours in logs: %j", (text, plain) => {
  expect(plainLine(text)).toBe(plain);
});
