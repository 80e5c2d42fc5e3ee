import { expect, test } from "vitest";
import { matchesLabels, parseLabelSelector } from "./label-selector.ts";

test.each([
  ["app=web", [{ type: "in", key: "app", values: ["web"] }]],
  ["app == web", [{ type: "in", key: "app", values: ["web"] }]],
  ["app!=web", [{ type: "notin", key: "app", values: ["web"] }]],
  ["app=", [{ type: "in", key: "app", values: [""] }]],
  ["example.com/app in (a, b,)", [{ type: "in", key: "example.com/app", values: ["a", "b", ""] }]],
  ["app notin(a)", [{ type: "notin", key: "app", values: ["a"] }]],
  [
    " !app , tier,x in (a,b),y=z ",
    [
      { type: "absent", key: "app" },
      { type: "exists", key: "tier" },
      { type: "in", key: "x", values: ["a", "b"] },
      { type: "in", key: "y", values: ["z"] },
    ],
  ],
  ["in in (in)", [{ type: "in", key: "in", values: ["in"] }]],
  ["", []],
])("%s is read", (source, requirements) => {
  expect(parseLabelSelector(source)).toEqual(requirements);
});

test.each([
  ["app=web,"],
  [","],
  ["app in"],
  ["app in (a"],
  ["app in a)"],
  ["app in (a) b"],
  ["app in ((a))"],
  ["app on (a)"],
  ["app=a=b"],
  ["app=a b"],
  ["-app"],
  ["!"],
  ["app='; drop table inventory_object; --"],
])("%s is refused", (source) => {
  expect(() => parseLabelSelector(source)).toThrow(expect.objectContaining({ code: "OBJECTS_SELECTOR_INVALID" }));
});

test.each([
  [`a in (${",  ".repeat(1_000)}!`],
  [`a=${" ".repeat(4_000)}!`],
  [`a${" ".repeat(4_000)}!`],
  [`${"a".repeat(4_000)}!`],
  [`a in (${"a,".repeat(2_000)}!)`],
])("no text takes long to refuse", (source) => {
  const began = performance.now();
  expect(() => parseLabelSelector(source)).toThrow();
  expect(performance.now() - began).toBeLessThan(500);
});

test("a label that isn't there is in no set, and not the name of something that every object has", () => {
  const [inSet, notIn] = [parseLabelSelector("constructor in (a)"), parseLabelSelector("constructor notin (a)")];
  expect(matchesLabels(inSet, {})).toBe(false);
  expect(matchesLabels(notIn, {})).toBe(true);
});
