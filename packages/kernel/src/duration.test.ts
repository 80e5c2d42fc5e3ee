import { expect, test } from "vitest";
import { formatDuration, parseDuration } from "./duration.ts";

test.each([
  ["0s", 0],
  ["5ms", 5],
  ["30s", 30_000],
  ["2s500ms", 2_500],
  ["1h30m", 5_400_000],
  ["7d", 604_800_000],
])("%s is %i ms, both ways", (text, durationMs) => {
  expect(parseDuration(text)).toBe(durationMs);
  expect(formatDuration(durationMs)).toBe(text);
});

test("units may be larger than the next one, and in any order", () => {
  expect(parseDuration("90m")).toBe(5_400_000);
  expect(parseDuration("30m1h")).toBe(5_400_000);
  expect(formatDuration(5_400_000)).toBe("1h30m");
});

test.each(["", "0", "30", "h", "1.5h", "-1h", "1h 30m", "1w", "1h5", "999999999999999d"])("%j isn't one", (text) => {
  expect(parseDuration(text)).toBeUndefined();
});
