import { expect, test } from "vitest";
import { printable } from "./printable.ts";

test("letters of all languages are printed, control characters and changes of direction are not", () => {
  expect(printable("Zürich 東京 🚢")).toBe("Zürich 東京 🚢");
  expect(printable("a\u001b[31m\r\n\u202eb\u009b")).toBe("a�[31m���b�");
});

test.each([
  ["OSC 52, which writes the clipboard", "\u001b]52;c;aGk=\u0007"],
  ["OSC 8, which shows another address than it opens", "\u001b]8;;http://evil\u001b\\text\u001b]8;;\u001b\\"],
  ["CSI of one byte", "\u009b2J"],
  ["OSC of one byte", "\u009d0;title\u009c"],
  ["a return, which overwrites what stands there", "bad\rgood"],
  ["marks and overrides of direction", "\u061c\u200e\u200f\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u2069"],
  ["line separators", "\u2028\u2029"],
])("%s doesn't reach the terminal", (_what, text) => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is these that must not be there
  expect(printable(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/);
});
