import { expect, test } from "vitest";
import { formatRoundedDuration } from "./rounded-duration.ts";

test.each([
  [-2_000, "<invalid>"],
  [-1_999, "0s"],
  [-1, "0s"],
  [119_999, "119s"],
  [120_000, "2m"],
  [330_000, "5m30s"],
  [10_800_000, "3h"],
])("%d ms are written as %s", (durationMs, expected) => {
  expect(formatRoundedDuration(durationMs)).toBe(expected);
});
