import { expect, test } from "vitest";
import { formatSize, parseSize } from "./size.ts";

test.each([
  ["0", 0],
  ["1023", 1_023],
  ["16Ki", 16_384],
  ["64Mi", 67_108_864],
  ["1Gi", 1_073_741_824],
  ["1Ti", 1_099_511_627_776],
  ["10M", 10_000_000],
])("%s is %i bytes, both ways", (text, sizeBytes) => {
  expect(parseSize(text)).toBe(sizeBytes);
  expect(formatSize(sizeBytes)).toBe(text);
});

test("a part of a unit is understood when it is whole bytes", () => {
  expect(parseSize("1.5Gi")).toBe(1_610_612_736);
  expect(parseSize("0.1Ki")).toBeUndefined();
});

test.each(["", "Mi", "-1Mi", "64 Mi", "64MiB", "64mi", "1e3", "100m"])("%j isn't one", (text) => {
  expect(parseSize(text)).toBeUndefined();
});
