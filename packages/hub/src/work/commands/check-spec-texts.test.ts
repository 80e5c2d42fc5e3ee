import { expect, test } from "vitest";
import { findSpecFault } from "./check-spec-texts.ts";

const bomb = ["a: &a [x,x,x,x,x,x,x,x,x]"]
  .concat(
    ["b", "c", "d", "e", "f", "g", "h", "i"].map((name, index) => {
      const before = String.fromCharCode("a".charCodeAt(0) + index);
      return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(",")}]`;
    }),
  )
  .join("\n");

test.each([
  ["a text", { set: "web", manifests: "kind: Pod\u0000" }, "spec.manifests has a NUL character"],
  ["a value deep down", { steps: [{ wait: { name: "a\u0000b" } }] }, "spec.steps.0.wait.name has a NUL character"],
  ["a name", { values: { "a\u0000": 1 } }, "a name in spec.values has a NUL character"],
])("a NUL in %s is found", (_what, spec, fault) => {
  expect(findSpecFault(JSON.stringify(spec))).toBe(fault);
});

test.each([
  ["as a document", bomb],
  ["in the second document", `kind: Pod\n---\n${bomb}`],
])("aliases of aliases that unfold into millions are found, %s", (_where, manifests) => {
  expect(findSpecFault(JSON.stringify({ manifests }))).toBe("aliases in spec.manifests repeat too much");
});

test("a long text with aliases is refused unread", () => {
  const manifests = `a: &a 1\nb: *a\n${"# comment\n".repeat(10_000)}`;
  expect(findSpecFault(JSON.stringify({ manifests }))).toMatch(/uses YAML aliases in more than 65536 characters/);
});

test.each([
  ["no aliases", { manifests: "kind: Pod\n" }],
  ["some aliases", { manifests: "a: &a {x: 1}\nb: *a\nc: *a\n" }],
  ["a shell's words", { manifests: "run: |\n  make all && rm *.o & wait\n" }],
  ["a backslash before u0000", { manifests: "a: '\\u0000'\n" }],
  ["no YAML at all", { manifests: "&a *a\n\t- [" }],
  ["three megabytes without aliases", { manifests: `a: ${"x".repeat(3_000_000)}` }],
])("a spec with %s is for agents to judge", (_what, spec) => {
  expect(findSpecFault(JSON.stringify(spec))).toBeUndefined();
});

test("many texts with many aliases are refused before they hold others up", () => {
  const text = `a: &a 1\nb: [${"*a,".repeat(20)}]\nc: [${"[],".repeat(5_000)}]`;
  expect(findSpecFault(JSON.stringify({ one: text }))).toBeUndefined();
  const steps = Array.from({ length: 180 }, () => ({ text }));
  expect(findSpecFault(JSON.stringify({ steps }))).toBe(
    "texts up to spec.steps.1.text have more than 16384 characters and 15 YAML aliases each",
  );
});
