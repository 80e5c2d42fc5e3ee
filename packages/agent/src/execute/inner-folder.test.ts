import { expect, test } from "vitest";
import { plainFolder } from "./inner-folder.ts";

test.each([
  [".", "."],
  ["./", "."],
  ["./infra", "infra"],
  ["infra/", "infra"],
  ["././a/b//", "a/b"],
  ["..", ".."],
  ["../a", "../a"],
  ["/etc", "/etc"],
  ["a/./b", "a/./b"],
])("%s is %s", (text, plain) => {
  expect(plainFolder(text)).toBe(plain);
});
