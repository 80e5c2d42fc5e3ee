import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { featureNeeds } from "../features/index.ts";
import { catalogue } from "./index.ts";

const ids = catalogue.map(({ id }) => id);

test("every addon that is written down is looked for", () => {
  const files = globSync("**/*.ts", { cwd: import.meta.dirname, exclude: ["**/*.test.ts"] });
  const declared = files.flatMap((file) =>
    [...readFileSync(join(import.meta.dirname, file), "utf8").matchAll(/^export const (\w+): Addon = /gm)].map(
      () => file,
    ),
  );
  expect(declared).toHaveLength(catalogue.length);
});

test("each addon is looked for once", () => {
  expect([...new Set(ids)].toSorted()).toEqual(ids.toSorted());
});

test("each addon that a feature needs, that comes first, or that does another's job, is looked for", () => {
  const named = [
    ...Object.values(featureNeeds).flat(2),
    ...catalogue.flatMap(({ alternatives = [], install }) => [...alternatives, ...(install?.after ?? [])]),
  ];
  expect(named.filter((id) => !ids.includes(id))).toEqual([]);
});

test("each check has an id of its own, which begins with its addon's", () => {
  const checks = catalogue.flatMap(({ id, checks: each }) => each.map((check) => [id, check.id] as const));
  expect(checks.filter(([addon, check]) => !check.startsWith(`${addon}.`))).toEqual([]);
  expect(new Set(checks.map(([, check]) => check)).size).toBe(checks.length);
});
