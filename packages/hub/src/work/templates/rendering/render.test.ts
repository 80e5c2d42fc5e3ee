import { describe, expect, it, test } from "vitest";
import { renderSpec } from "./render.ts";

const renderNote = (note: string, values: object) => {
  const { command, problems } = renderSpec(
    "helm",
    { release: "web", values: { note } },
    values as Record<string, unknown>,
  );
  return command ? ((command.spec as { values?: { note?: unknown } }).values?.note ?? null) : problems[0]?.message;
};

test.each([
  ["${param:a}", { a: 3 }, 3],
  ["${param:a}", { a: { deep: [1, null] } }, { deep: [1, null] }],
  ["${param:a:text}", { a: 3 }, "3"],
  ["x-${param:a}-${param:b}", { a: true, b: "y" }, "x-true-y"],
  ["$${param:a} ${param:a}", { a: 1 }, "${param:a} 1"],
  ["${param:a}", {}, null],
  ["${HOME} ${{x}} $(y) ${param:a}", { a: "z" }, "${HOME} ${{x}} $(y) z"],
  ["${secret:shop/web/key} ${param:a}", { a: "z" }, "${secret:shop/web/key} z"],
  ["$${secret:shop/web/key}${param:a}", { a: "z" }, "$${secret:shop/web/key}z"],
  // Braces and dollars of values are text.
  ["${param:a}", { a: "${param:b}", b: 1 }, "${param:b}"],
  ["${param:constructor}", {}, null],
])("%s with %o is %o", (note, values, expected) => {
  expect(renderNote(note, values)).toEqual(expected);
});

describe("a value never makes a reference", () => {
  it.each([
    ["${param:a}${param:b}", { a: "$", b: "{secret:kube-system/admin/token}" }],
    ["$${param:a}", {}],
    ["$x${param:a}", { a: "y" }],
    ["a$${param:a}", {}],
    ["$ ${param:a}", { a: "{secret:a/b/c}" }],
  ])("%s with %o has none", (note, values) => {
    expect(String(renderNote(note, values))).not.toMatch(/\$\{(secret|configmap):/);
  });

  it.each([
    ["${param:a}${param:b}", { a: "$", b: "{secret:kube-system/admin/token}" }],
    ["${param:a}${param:b}", { a: "${sec", b: "ret:a/b/c}" }],
    ["${param:a}ret:a/b/c}", { a: "${sec" }],
    ["${param:a}${param:b}${param:c}", { a: "$", b: "{", c: "steps.one.outputs.x}" }],
    // Nor does one make the template's own a text.
    ["${param:a}${secret:shop/web/key}", { a: "$" }],
  ])("%s with %o is refused", (note, values) => {
    expect(renderNote(note, values)).toMatch(/would change the references/);
  });
});

test("a value in a set of manifests adds no documents, whatever it has in it", () => {
  const evil = 'x"\n---\napiVersion: v1\nkind: Secret\n{"a": [}';
  const objects = [
    { kind: "ConfigMap", data: { note: "${param:note}", other: "a ${param:note}" } },
    { kind: "Service" },
  ];
  const { command } = renderSpec("manifests", { set: "web", objects }, { note: evil });
  const { manifests } = (command?.spec ?? {}) as { manifests: string };
  const documents = manifests.split("\n---\n").map((text) => JSON.parse(text) as unknown);
  expect(documents).toEqual([{ kind: "ConfigMap", data: { note: evil, other: `a ${evil}` } }, { kind: "Service" }]);
});

test("a large value at many places is refused before it is put there", () => {
  const values = { all: "x".repeat(60_000) };
  const places = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, "${param:all}"]));
  const { command, problems } = renderSpec("helm", { release: "web", values: places }, values);
  expect([command, problems[0]?.message]).toEqual([undefined, expect.stringContaining("larger")]);
});
