import { expect, test } from "vitest";
import { isExported, parseAllowList } from "./allow-list.ts";

test.each([
  ["pods=[a,b],nodes=[c]", "pods", "b", true],
  ["pods=[a,b],nodes=[c]", "nodes", "c", true],
  ["pods=[a, b]", "pods", "b", true],
  ["pods=[a],nodes=[c]", "pods", "c", false],
  ["pods=[*]", "pods", "anything", true],
  ["pods=[*,a]", "pods", "anything", true],
  ["pods=[a,*]", "pods", "anything", false],
  ["pods=[a,*]", "pods", "a", true],
  ["*=[*]", "pods", "anything", true],
  ["*=[a],pods=[b]", "pods", "b", false],
  ["pods=[a],pods=[b]", "pods", "a", false],
  ["pods=[]", "pods", "a", false],
  ["", "pods", "a", false],
])("%s: %s %s", (flag, resource, key, expected) => {
  expect(isExported(parseAllowList(flag) ?? new Map(), resource, key)).toBe(expected);
});

test.each([
  ["pods"],
  ["pods="],
  ["pods=a"],
  ["pods=[a"],
  ["pods=[a]],"],
  ["pods=[a],"],
  ["pods=[a]nodes=[b]"],
  ["pods=[a,,b]"],
])("%s is refused, as kube-state-metrics does", (flag) => {
  expect(parseAllowList(flag)).toBeUndefined();
});
