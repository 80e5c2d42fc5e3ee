import { expect, test } from "vitest";
import { compareVersions, isOlder } from "./compare-versions.ts";

test.each([
  ["1.9.0", "1.10.0", -1],
  ["v1.9.0", "1.9.0", 0],
  ["1.0.0-rc.2", "1.0.0", -1],
  ["1.0.0", "1.0.0-rc.2", 1],
  ["1.0.0-rc.2", "1.0.0-rc.10", -1],
  ["1.0.0-beta.1", "1.0.0-alpha.2", 1],
  ["1.0", "1.0.1", -1],
  ["2", "1.99.0", 1],
  ["1.0.0+build.2", "1.0.0", 0],
  ["2.22.4.0", "2.22.4", 0],
  ["1.54.0-eksbuild.1", "1.54.0", -1],
  ["main", "1.0.0", undefined],
  ["1.0.0", "latest", undefined],
  [undefined, "1.0.0", undefined],
])("%s to %s: %s", (one, other, order) => {
  expect(compareVersions(one, other)).toBe(order);
});

test("what is no version is older than nothing", () => {
  expect([isOlder("main", "1.0.0"), isOlder(undefined, "1.0.0"), isOlder("0.9.0", "1.0.0")]).toEqual([
    false,
    false,
    true,
  ]);
});
