import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { KnownSecrets, redactJson } from "../redact/index.ts";
import { cutText } from "./cut-text.ts";

const known = new KnownSecrets();
known.add("canary-4711-canary");
const secrets = { redact: (json: unknown) => redactJson(known, json) };

test.each([0, 4, 9, 17, 18])(
  "of a secret value that a cut goes through, %i characters in, nothing is left",
  (inside) => {
    const text = `${"x".repeat(40 - inside)}canary-4711-canary and more than that`;
    const cut = cutText(secrets, text, 40);
    expect(cut).not.toMatch(/can|471|ary/);
    expect(cut.length).toBeLessThanOrEqual(41);
  },
);

test("a text that fits is left to the mask that all that leaves passes", () => {
  expect(cutText(secrets, "canary-4711-canary", 40)).toBe("canary-4711-canary");
  expect(cutText(secrets, "x".repeat(41), 40)).toBe(`${"x".repeat(40)}…`);
});

test("texts are cut for people nowhere else, but for what the hub's spec says and for what is masked already", () => {
  const files = globSync("**/*.ts", { cwd: import.meta.dirname }).filter((file) => !/\.(test|fixture)\.ts$/.test(file));
  expect(files.length).toBeGreaterThan(100);
  const cutters = files.filter((file) => {
    const text = readFileSync(`${import.meta.dirname}/${file}`, "utf8");
    return /\.slice\([^()]*\)\}…|\.slice\(0, (?:\d{3}|most|max)[^)]*\)\}/.test(text);
  });
  expect(cutters.sort()).toEqual(["cut-text.ts", "flow/wait/spec.ts", "helm/explain.ts", "manifests/yaml/to-value.ts"]);
});
