import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./sources.ts";

test("each example in deploy/examples is played by a test on real programs", () => {
  const patterns = ["packages/*/src/**/*.real.test.ts", "test/e2e/*.real.test.ts"];
  const tests = globSync(patterns, { cwd: root }).map((path) => readFileSync(join(root, path), "utf8"));
  const examples = readdirSync(join(root, "deploy/examples"));
  expect(examples.length).toBeGreaterThan(5);
  expect(examples.filter((name) => !tests.some((text) => text.includes(`deploy/examples/${name}`)))).toEqual([]);
});
