import { expect, test } from "vitest";
import { toStorableText } from "./storable-text.ts";

test.each([
  ["a line", 64, "a line"],
  ["cut here", 3, "cut"],
  ["a\0b\0", 64, "ab"],
  ["ab\u{1f600}", 3, "ab\ufffd"],
  ["ab\u{1f600}", 4, "ab\u{1f600}"],
  ["\udc00ab\ud800", 64, "\ufffdab\ufffd"],
])("%j in %i characters is %j, which any column takes", (text, length, kept) => {
  expect(toStorableText(text, length)).toBe(kept);
});
