import { expect, test } from "vitest";
import { KnownSecrets, redactJson } from "../../../redact/index.ts";
import { describeErrors } from "../tofu-cli.ts";
import { readPlan } from "./read-plan.ts";

test("long values of a plan are cut, and a secret value in them is masked before", () => {
  const secrets = knowing("canary-4711-canary");
  const after = { long: "x".repeat(501), split: `${"x".repeat(490)}canary-4711-canary`, short: "canary-4711-canary" };
  const { resources } = readPlan(planOf({ before: {}, after }), secrets);
  expect(resources[0]?.changes).toEqual([
    { path: "long", to: `${"x".repeat(500)}…` },
    { path: "split", to: `${"x".repeat(490)}***` },
    { path: "short", to: "canary-4711-canary" },
  ]);
});

test("a value that OpenTofu itself says is sensitive is masked in others that are cut", () => {
  const after = { password: "canary-4711-canary", url: `${"x".repeat(490)}canary-4711-canary@host` };
  const { resources } = readPlan(planOf({ before: {}, after, after_sensitive: { password: true } }), knowing());
  expect(JSON.stringify(resources)).not.toContain("canary");
});

test("OpenTofu's first error is masked before it is cut", () => {
  const errors = [`${"x".repeat(990)}canary-4711-canary${"y".repeat(500)}`, "another"];
  const said = describeErrors({ exitCode: 1, errors, summaries: [], applied: [] }, knowing("canary-4711-canary"));
  expect(said).toMatch(/^x{990}\*\*\*y{7}…, and 1 more$/);
});

function planOf(change: object): string {
  return JSON.stringify({ resource_changes: [{ address: "a.b", change: { actions: ["create"], ...change } }] });
}

function knowing(...values: readonly string[]) {
  const known = new KnownSecrets();
  for (const value of values) known.add(value);
  return { conceal: (value: string) => known.add(value), redact: (json: unknown) => redactJson(known, json) };
}
