import { expect, test } from "vitest";
import { formatAge, formatSpan, parseSpan } from "./duration.ts";
import { createTableWriter, renderTable } from "./table.ts";

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
  [-5, "0s"],
  [119, "119s"],
  [120, "2m"],
  [599, "9m59s"],
  [600, "10m"],
  [179 * 60 + 59, "179m"],
  [3 * 3600, "3h"],
  [3 * 3600 + 720, "3h12m"],
  [8 * 3600, "8h"],
  [48 * 3600, "2d"],
  [50 * 3600, "2d2h"],
  [8 * 86_400, "8d"],
  [729 * 86_400, "729d"],
  [760 * 86_400, "2y30d"],
  [3000 * 86_400, "8y"],
])("an age of %i s is %s, as kubectl says it", (seconds, text) => {
  expect(formatAge(seconds * 1000)).toBe(text);
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

test("rows that come later stand under the same heading, and columns only grow", () => {
  const write = createTableWriter(["A", "B"]);

  expect(write([["x", "1"]])).toBe("A  B\nx  1\n");
  expect(write([["long", "2"]])).toBe("long  2\n");
  expect(write([["x", "3"]])).toBe("x     3\n");
});
