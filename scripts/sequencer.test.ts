import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { longest } from "./sequencer.ts";

test("the files that last longest are there", () => {
  expect(longest.filter((file) => !existsSync(join(import.meta.dirname, "..", file)))).toEqual([]);
});
