import { expect, test } from "vitest";
import { Fields } from "./fields.ts";
import { matchesLabels, parseLabelSelector, readLabelSelector } from "./label-selector.ts";

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

const objects: readonly Readonly<Record<string, string>>[] = [
  { app: "web", tier: "front", n: "5" },
  { app: "db", empty: "" },
  {},
];

// What labels.Parse of k8s.io/apimachinery (v0.36.3), which kubectl uses, makes of each text: undefined where it refuses it.
test.each<[string, readonly boolean[] | undefined]>([
  ["", [true, true, true]],
  ["app=web", [true, false, false]],
  ["app == web", [true, false, false]],
  ["app!=web", [false, true, true]],
  ["app=", [false, false, false]],
  ["empty=", [false, true, false]],
  ["empty", [false, true, false]],
  ["!empty", [true, false, true]],
  ["! empty", [true, false, true]],
  ["app in (web, db)", [true, true, false]],
  ["app in (web,)", [true, false, false]],
  ["empty in (a,)", [false, true, false]],
  ["empty in ()", [false, true, false]],
  ["app notin (web)", [false, true, true]],
  ["app notin(web)", [false, true, true]],
  ["tier notin (front,back),app", [false, true, false]],
  [" !app , tier", [false, false, false]],
  ["in in (in)", [false, false, false]],
  ["in", [false, false, false]],
  ["notin=a", [false, false, false]],
  ["app=web,", undefined],
  [",", undefined],
  ["app=web,,tier", undefined],
  ["app in", undefined],
  ["app in (a", undefined],
  ["app in a)", undefined],
  ["app in (a) b", undefined],
  ["app in ((a))", undefined],
  ["app on (a)", undefined],
  ["app=a=b", undefined],
  ["app=a b", undefined],
  ["-app", undefined],
  ["app-", undefined],
  ["!", undefined],
  ["!app=web", undefined],
  ["app=!web", undefined],
  ["example.com/app=web", [false, false, false]],
  ["Example.com/app", undefined],
  ["a/b/c", undefined],
  ["/a", undefined],
  ["a/", undefined],
  ["-x.com/a", undefined],
  ["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", [false, false, false]],
  ["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", undefined],
  ["a=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", [false, false, false]],
  ["a=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", undefined],
  ["a=-b", undefined],
  ["a=b/c", undefined],
  ["a in (b/c)", undefined],
  ["a.b_c-d", [false, false, false]],
  ["app=web;tier", undefined],
  ["app= web ,tier=front", [true, false, false]],
  ["app\n=\tweb", [true, false, false]],
  ["app==web==x", undefined],
  ["app notin", undefined],
  ["x in (a),y", [false, false, false]],
])("%j selects what it does in Kubernetes: %j", (source, selected) => {
  const requirements = parseLabelSelector(source);
  expect(requirements && objects.map((labels) => matchesLabels(requirements, labels))).toEqual(selected);
});

test.each(["n>4", "n<10", "app='; drop table inventory_object; --"])("%s isn't taken", (source) => {
  expect(parseLabelSelector(source)).toBeUndefined();
});

test.each<[unknown, readonly boolean[]]>([
  [{}, [true, true, true]],
  [{ matchLabels: { app: "web" } }, [true, false, false]],
  [{ matchLabels: { empty: "" } }, [false, true, false]],
  [{ matchLabels: { app: 5 } }, [false, false, false]],
  [{ matchExpressions: [{ key: "app", operator: "In", values: ["web", "db"] }] }, [true, true, false]],
  [{ matchExpressions: [{ key: "app", operator: "NotIn", values: ["web"] }] }, [false, true, true]],
  [{ matchExpressions: [{ key: "tier", operator: "Exists" }] }, [true, false, false]],
  [{ matchExpressions: [{ key: "tier", operator: "DoesNotExist" }] }, [false, true, true]],
  [{ matchExpressions: [{ key: "app", operator: "Like", values: ["web"] }] }, [false, false, false]],
  [{ matchLabels: { app: "db" }, matchExpressions: [{ key: "empty", operator: "Exists" }] }, [false, true, false]],
])("%j selects %j", (selector, selected) => {
  const requirements = readLabelSelector(new Fields(selector));
  expect(objects.map((labels) => requirements !== undefined && matchesLabels(requirements, labels))).toEqual(selected);
});

test.each([
  [`a in (${",  ".repeat(1_000)}!`],
  [`a=${" ".repeat(4_000)}!`],
  [`a${" ".repeat(4_000)}!`],
  [`${"a".repeat(4_000)}!`],
  [`a in (${"a,".repeat(2_000)}!)`],
])("no text takes long to refuse", (source) => {
  const began = performance.now();
  expect(parseLabelSelector(source)).toBeUndefined();
  expect(performance.now() - began).toBeLessThan(500);
});

test("a label that isn't there is in no set, and not the name of something that every object has", () => {
  const [inSet, notIn] = [parseLabelSelector("constructor in (a)"), parseLabelSelector("constructor notin (a)")];
  expect(inSet && matchesLabels(inSet, {})).toBe(false);
  expect(notIn && matchesLabels(notIn, {})).toBe(true);
});
