import { parseExactJson } from "@fairlead/kernel";
import { Fields } from "@fairlead/kube";
import { expect, test } from "vitest";
import { createCustomPrinter } from "./custom.ts";
import { cutText } from "./cut-text.ts";

const show = (object: object, ...columns: readonly object[]) =>
  createCustomPrinter(columns)?.cells(new Fields(object), 0).slice(1);

test("columns as a hub of the version before kept them are bounded when they are used", () => {
  const stored = Array.from({ length: 1_300 }, (_, index) => ({
    name: `c${index}`.repeat(100),
    type: "odd",
    jsonPath: ".spec",
  }));
  const printer = createCustomPrinter(stored);
  const cells = printer?.cells(new Fields({ spec: { text: "x".repeat(200_000) } }), 0) ?? [];

  expect(printer?.columns).toHaveLength(33);
  expect(printer?.columns[1]).toMatchObject({ type: "string", name: expect.stringMatching(/^.{1,100}…$/) });
  for (const cell of cells.slice(1)) expect(String(cell)).toMatch(/^\{"text":"x{1000,}…$/);
});

test("a column's name moves no cursor in anybody's terminal", () => {
  const printer = createCustomPrinter([{ name: "\u001b[2Jgone\n", jsonPath: ".spec" }]);

  expect(printer?.columns[1]?.name).toBe("\ufffd[2Jgone\ufffd");
});

test("cells are the API server's: the first value, the type's own, or nothing", () => {
  const object = { spec: { list: ["a", "b"], size: 1.9, on: false, map: { x: [1, null] }, none: null } };
  const cell = (type: string, jsonPath: string) => show(object, { name: "n", type, jsonPath })?.[0];

  expect(cell("string", ".spec.list[*]")).toBe("a");
  expect(cell("string", ".spec.map")).toBe('{"x":[1,null]}');
  expect(cell("integer", ".spec.size")).toBe(1);
  expect(cell("number", ".spec.size")).toBe(1.9);
  expect(cell("boolean", ".spec.on")).toBe(false);
  expect(cell("integer", ".spec.list[0]")).toBeNull();
  expect(cell("string", ".spec.none")).toBe("<no value>");
  expect(cell("date", ".spec.absent")).toBeNull();
});

test.each([
  ['.status.conditions[?(@.type=="Ready")].status', "True"],
  [".status.conditions[?(@.weight>1)].type", "Synced"],
  ["..weight", "1"],
  [" {.status.conditions[-1].type} ", "Synced"],
  [".status.conditions[-1:].type", "Synced"],
  [".status.conditions[", null],
  ["{range .status}{end}", null],
])("a column of %s shows %j", (jsonPath, cell) => {
  const conditions = [
    { type: "Ready", status: "True", weight: 1 },
    { type: "Synced", status: "False", weight: 2 },
  ];
  expect(show({ status: { conditions } }, { name: "n", type: "string", jsonPath })?.[0]).toBe(cell);
});

test("a column that can't be computed is empty, and never gone", () => {
  const column = (name: string, jsonPath?: string) => ({ name, type: "string", jsonPath });
  const paths = [".spec[", ".spec.list[9]", ".spec.list[?(@>'a')]", `.${"a".repeat(600)}`, undefined, ".spec.name"];
  const printer = createCustomPrinter(paths.map((path, index) => column(`c${index}`, path)));

  expect(printer?.columns.map(({ name }) => name)).toEqual(["Name", "c0", "c1", "c2", "c3", "c4", "c5"]);
  const cells = printer?.cells(new Fields({ spec: { list: [1, 2], name: "web" } }), 0).slice(1);
  expect(cells).toEqual([null, null, null, null, null, "web"]);
});

test("whole numbers of more than 53 bits keep their digits in a cell, objects are Go's JSON", () => {
  const object = parseExactJson('{"n":9007199254740993,"map":{"b":"<","a":9007199254740993}}') as object;
  const cell = (type: string, jsonPath: string) => show(object, { name: "n", type, jsonPath })?.[0];

  expect(cell("integer", ".n")).toBe("9007199254740993");
  expect(cell("string", ".n")).toBe("9007199254740993");
  expect(cell("string", ".map")).toBe('{"a":9007199254740993,"b":"\\u003c"}');
});

test("the effort of a row is for all its cells together", () => {
  const object = { spec: { items: Array.from({ length: 10_000 }, () => ({})) }, name: "plain" };
  const greedy = { name: "g", type: "string", jsonPath: ".spec.items[*].absent" };

  expect(show(object, greedy, greedy, greedy)).toEqual(["…", "…", "…"]);
  expect(show(object, { name: "p", type: "string", jsonPath: ".name" }, greedy)?.[0]).toBe("plain");
});

test.each([
  "a".repeat(100),
  "\u0000".repeat(100),
  '"'.repeat(100),
  "é".repeat(100),
  "漢".repeat(100),
  "😀".repeat(100),
  "\ud800".repeat(100),
])("a text is cut between characters to its bytes as JSON", (text) => {
  for (let maxBytes = 10; maxBytes < 60; maxBytes += 1) {
    const cut = cutText(text, maxBytes);
    expect(Buffer.byteLength(JSON.stringify(cut)) - 2).toBeLessThanOrEqual(maxBytes);
    expect(text.startsWith(cut.slice(0, -1))).toBe(true);
    expect(cut.endsWith("…")).toBe(true);
  }
  expect(cutText(text, 600)).toBe(text);
});
