import type { KubeObject } from "@fairlead/kube";
import { expect, test } from "vitest";
import { findLack, matchesPattern } from "./judge.ts";
import { parseWaitSpec } from "./spec.ts";

const common = { apiVersion: "v1", kind: "ConfigMap", name: "x" };

function object(more: object, metadata: object = {}): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Thing",
    metadata: { uid: "u", name: "x", resourceVersion: "1", ...metadata },
    ...more,
  };
}

test.each([
  [{ condition: "Ready" }, { conditions: [{ type: "Ready", status: "True" }] }, undefined],
  [
    { condition: "Ready" },
    { conditions: [{ type: "Ready", status: "False", message: "no" }] },
    "its condition Ready is False (no)",
  ],
  [{ condition: "Ready", status: "False" }, { conditions: [{ type: "Ready", status: "False" }] }, undefined],
  [{ condition: "Ready" }, {}, "it has no condition Ready yet"],
  [
    { condition: "Ready" },
    { observedGeneration: 1, conditions: [{ type: "Ready", status: "True" }] },
    "hasn't seen its last change",
  ],
  [{ field: "status.n", equals: 3 }, { n: 3 }, undefined],
  [{ field: "status.n", equals: 3 }, { n: "3" }, "status.n isn't so yet"],
  [{ field: "status.n", equals: null }, {}, undefined],
  [{ field: "status.n", equals: true }, { n: true }, undefined],
  [{ field: "status.list[0].ip", exists: true }, { list: [{ ip: "10.0.0.1" }] }, undefined],
  [{ field: "status.list[0].ip", exists: true }, { list: [] }, "status.list[0].ip isn't so yet"],
  [{ field: "status.n", exists: false }, { n: null }, undefined],
  [{ field: "status.n", matches: "v1.*" }, { n: "v1.2" }, undefined],
  [{ field: "status.n", matches: "v1.*" }, { n: 1 }, "isn't so yet"],
  ["ready", { conditions: [{ type: "Ready", status: "False", message: "soon" }] }, "soon"],
  ["ready", {}, undefined],
  ["deleted", {}, "it is there"],
])("until %j, of an object with the status %j", (until, status, lack) => {
  const spec = parseWaitSpec({ ...common, until });
  const found = findLack(object({ status }, { generation: 2 }), spec.until);
  if (lack === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(lack);
});

test.each([
  ["abc", "abc", true],
  ["abc", "ab", false],
  ["abc", "*", true],
  ["", "*", true],
  ["abc", "a*c", true],
  ["abc", "*b*", true],
  ["abcabc", "a*bc*c", true],
  ["ab", "ab*b", false],
  ["a", "a*a", false],
  ["abc", "", false],
  ["a.c", "a.c", true],
  ["abc", "a.c", false],
])("%j by the pattern %j: %s", (text, pattern, expected) => {
  expect(matchesPattern(text, pattern)).toBe(expected);
});

test("no pattern makes it slow", () => {
  expect(matchesPattern("a".repeat(1_000_000), `${"*a".repeat(99)}*b`)).toBe(false);
});

test.each([
  ["neither name nor selector", { name: undefined, until: "ready" }, "it must have either a name or a selector"],
  ["both", { selector: "a=b", until: "ready" }, "it must have either a name or a selector"],
  ["no until", {}, "until"],
  ["an until that isn't one", { until: "gone" }, "it is ready, deleted, {condition, status}"],
  ["a field without a test", { until: { field: "a" } }, "needs one of equals, exists and matches"],
  ["a field with two", { until: { field: "a", exists: true, equals: 1 } }, "needs one of equals, exists and matches"],
  ["a path that isn't one", { until: { field: "a[", exists: true } }, "the path a[: here a number"],
  ["outputs of what is gone", { until: "deleted", outputs: { x: "a" } }, "a deleted object has no outputs"],
  ["a name that leads elsewhere", { name: "../x", until: "ready" }, "name: it is no name of an object"],
  ["outputs of a Secret", { kind: "Secret", until: "ready", outputs: { x: "data.x" } }, "a Secret has no outputs"],
  ["a value of a Secret", { kind: "Secret", until: { field: "data.x", matches: "a*" } }, "supports only exists"],
])("%s is refused", (_name, changes, message) => {
  expect(() => parseWaitSpec({ ...common, ...changes })).toThrow(message);
});

test("whether a Secret has a key can be awaited", () => {
  const spec = parseWaitSpec({ ...common, kind: "Secret", until: { field: "data.token", exists: true } });
  expect(spec.until).toMatchObject({ is: "field", test: { is: "exists", wanted: true } });
});
