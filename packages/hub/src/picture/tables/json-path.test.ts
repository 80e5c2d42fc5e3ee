import { expect, test } from "vitest";
import { findAlong, parseJsonPath } from "./json-path.ts";

const object = {
  metadata: { labels: { "example.com/team": "blue" } },
  spec: {
    list: [
      { name: "a", size: 1 },
      { name: "b", size: 2 },
    ],
    map: { x: 1, y: 2 },
  },
  status: { conditions: [{ type: "Ready", status: "True" }] },
};

test.each([
  [".metadata.labels.example\\.com/team", ["blue"]],
  [".metadata.labels['example.com/team']", ["blue"]],
  ["{.spec.list[0].name}", ["a"]],
  ["$.spec.list[-1].name", ["b"]],
  [".spec.list[*].name", ["a", "b"]],
  [".spec.map.*", ["1", "2"]],
  ['.status.conditions[?(@.type=="Ready")].status', ["True"]],
  ['.status.conditions[?(@.type!="Ready")].status', []],
  [".spec.list[?(@.size==2)].name", ["b"]],
  [".spec.absent.deeper", []],
  ["spec.map.x", ["1"]],
])("%s leads to %j", (source, expected) => {
  const path = parseJsonPath(source);

  expect(path).toBeDefined();
  expect([...findAlong(path ?? [], object, { left: 100 })].map(String)).toEqual(expected);
});

test.each([".spec[", ".spec.list[?(@.size>1)]", ".spec..name", "[(@.length-1)]"])("%s isn't understood", (source) => {
  expect(parseJsonPath(source)).toBeUndefined();
});

test("no path leads through more of an object than it may", () => {
  const effort = { left: 50 };
  const wide = { spec: Array.from({ length: 1_000 }, () => Array.from({ length: 1_000 }, () => ({}))) };

  expect([...findAlong(parseJsonPath(".spec[*][*].absent") ?? [], wide, effort)]).toEqual([]);
  expect(effort.left).toBeLessThan(0);
});
