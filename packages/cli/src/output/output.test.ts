import { expect, test } from "vitest";
import { formatSpan, parseSpan } from "./duration.ts";
import { printable } from "./printable.ts";
import { renderTable } from "./table.ts";

test.each([
  [0, "0s"],
  [119_499, "119s"],
  [119_500, "2m"],
  [7_199_000, "119m"],
  [7_200_000, "2h"],
  [172_799_000, "47h"],
  [172_800_000, "2d"],
  [-90_000, "90s"],
])("%i ms is %s", (spanMs, text) => {
  expect(formatSpan(spanMs)).toBe(text);
});

test.each([
  ["90s", 90_000],
  ["1h30m", 5_400_000],
  ["7d", 604_800_000],
])("%s is %i ms", (text, spanMs) => {
  expect(parseSpan(text)).toBe(spanMs);
});

test.each(["", "1", "h", "1.5h", "-1h", "1h 30m", "1w"])("%j is no length of time", (text) => {
  expect(() => parseSpan(text)).toThrow(expect.objectContaining({ code: "CLI_USAGE" }));
});

test("columns line up whatever their colours, and lines don't end in spaces", () => {
  expect(
    renderTable(
      ["A", "B"],
      [
        ["\u001b[32mlong\u001b[39m", "é"],
        ["x", ""],
      ],
    ),
  ).toBe("A     B\n\u001b[32mlong\u001b[39m  é\nx\n");
});

test("letters of all languages are printed, control characters and direction overrides are not", () => {
  expect(printable("Zürich 東京 🚢")).toBe("Zürich 東京 🚢");
  expect(printable("a\u001b[31m\r\n\u202eb\u009b")).toBe("a�[31m���b�");
});
