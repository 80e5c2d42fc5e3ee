import { expect, test } from "vitest";
import type { ClusterObject } from "../../snapshot/index.ts";
import { compareThreeWay, type FieldFate } from "./compare.ts";
import { pairManifests } from "./pair-manifests.ts";

const gone = undefined;
const hand = { manager: "kubectl-edit", operation: "Update", fieldsV1: { "f:spec": { "f:field": {} } } };
const scaler = { manager: "kube-controller-manager", subresource: "scale", fieldsV1: { "f:spec": { "f:field": {} } } };
const controller = { manager: "kube-controller-manager", fieldsV1: { "f:spec": { "f:field": {} } } };
const helm = { manager: "helm", operation: "Apply", fieldsV1: { "f:spec": { "f:field": {} } } };

test.each<
  [string, { before?: unknown; after?: unknown; live?: unknown; managers?: object[] }, FieldFate | undefined, string[]?]
>([
  ["nothing changes", { before: 1, after: 1, live: 1 }, undefined],
  ["the chart changes it", { before: 1, after: 2, live: 1 }, "changed"],
  ["the chart adds it", { before: gone, after: 2, live: gone }, "changed"],
  ["the chart adds what is a default now", { before: gone, after: 2, live: 2 }, undefined],
  ["the chart adds what has another default", { before: gone, after: 2, live: 3 }, "changed"],
  ["the chart drops it", { before: 1, after: gone, live: 1 }, "changed"],
  ["changed by hand", { before: 1, after: 1, live: 3, managers: [helm, hand] }, "set-back", ["kubectl-edit"]],
  [
    "scaled",
    { before: 1, after: 1, live: 3, managers: [helm, scaler] },
    "set-back",
    ["kube-controller-manager (scale)"],
  ],
  ["changed by nobody knows whom", { before: 1, after: 1, live: 3, managers: [helm] }, "set-back", []],
  ["taken away by hand", { before: 1, after: 1, live: gone }, "set-back", []],
  [
    "changed by hand and by the chart",
    { before: 1, after: 2, live: 3, managers: [hand] },
    "set-back",
    ["kubectl-edit"],
  ],
  [
    "changed by hand to what the chart says now",
    { before: 1, after: 3, live: 3, managers: [hand] },
    "agreed",
    ["kubectl-edit"],
  ],
  [
    "changed by hand, and dropped by the chart",
    { before: 1, after: gone, live: 3, managers: [hand] },
    "removed",
    ["kubectl-edit"],
  ],
  ["set by hand where charts say nothing", { live: 3, managers: [hand] }, "kept", ["kubectl-edit"]],
  ["scaled where charts say nothing", { live: 3, managers: [scaler] }, "kept", ["kube-controller-manager (scale)"]],
  ["defaulted where charts say nothing", { live: 3, managers: [helm] }, undefined],
  ["written by a controller where charts say nothing", { live: 3, managers: [controller] }, undefined],
  ["empty and left out", { before: [], after: {}, live: gone }, undefined],
  ["a quantity in other words", { before: "1000m", after: "1", live: "1" }, undefined],
  ["a number as a text", { before: "80", after: "80", live: 80 }, undefined],
])("%s", (_name, { before, after, live, managers = [] }, fate, by = []) => {
  const { fields } = compareThreeWay({
    ref: "things thing",
    before: thing({ field: before }),
    after: thing({ field: after }),
    live: thing({ field: live }, { managedFields: managers }),
  });
  expect(fields.map((each) => [each.path, each.is, each.by])).toEqual(fate ? [["spec.field", fate, by]] : []);
});

test.each([
  ["created", { after: thing({}) }],
  ["removed", { before: thing({}), live: thing({}) }],
  ["absent", { before: thing({}) }],
  ["unchanged", { before: thing({ a: 1 }), after: thing({ a: 1 }), live: thing({ a: 1, aDefault: 5 }) }],
  ["changed", { before: thing({ a: 1 }), after: thing({ a: 2 }), live: thing({ a: 1 }) }],
] as const)("an object is %s", (is, shapes) => {
  expect(compareThreeWay({ ref: "things thing", ...shapes }).is).toBe(is);
});

test("items of lists are found by what names them, whatever their order, and others one by one", () => {
  const [one, two] = [
    { name: "one", image: "one:1", args: ["a"] },
    { name: "two", image: "two:1", ports: [{ containerPort: 80 }] },
  ];
  const live = thing(
    { containers: [{ ...two, image: "two:2" }, one, { name: "sidecar", image: "s:1" }] },
    {
      managedFields: [
        {
          manager: "kubectl-patch",
          fieldsV1: {
            "f:spec": {
              "f:containers": { 'k:{"name":"two"}': { "f:image": {} }, 'k:{"name":"sidecar"}': { ".": {} } },
            },
          },
        },
      ],
    },
  );
  const { fields } = compareThreeWay({
    ref: "things thing",
    before: thing({ containers: [one, two] }),
    after: thing({ containers: [{ ...one, args: ["a", "b"] }, two] }),
    live,
  });
  expect(fields.map(({ path, is, by }) => [path, is, by])).toEqual([
    ["spec.containers[name=one].args", "changed", []],
    ["spec.containers[name=two].image", "set-back", ["kubectl-patch"]],
    ["spec.containers[name=sidecar]", "kept", ["kubectl-patch"]],
  ]);
});

test("what nobody rendered before is compared with what is live", () => {
  const shapes = { ref: "things thing", after: thing({ a: 1, b: 2 }), live: thing({ a: 1, b: 3 }) };
  expect(compareThreeWay(shapes).fields).toMatchObject([{ path: "spec.b", is: "changed", live: 3, after: 2 }]);
});

test("what a Secret holds isn't shown, and its two ways of writing it are one", () => {
  const secret = (fields: object): ClusterObject => ({ kind: "Secret", metadata: { name: "s" }, ...fields });
  const before = secret({ stringData: { password: "old", same: "same" } });
  const live = secret({ data: { password: btoa("hand-made"), same: btoa("same") } });
  const { fields } = compareThreeWay({ ref: "secrets s", before, after: before, live });
  const hidden = { before: "(hidden)", live: "(hidden)", after: "(hidden)" };
  expect(fields).toEqual([{ path: "data.password", is: "set-back", by: [], ...hidden }]);
});

test("labels and annotations count, what the API server writes doesn't", () => {
  const base: ClusterObject = { kind: "Thing", metadata: { name: "thing", labels: { a: "1" } } };
  const live = {
    ...base,
    metadata: { ...base.metadata, uid: "u", resourceVersion: "5", annotations: { "example.com/a": "x" } },
    status: { phase: "Ready" },
  };
  const after = { ...base, metadata: { name: "thing", annotations: { "example.com/a": "y" } } };
  expect(compareThreeWay({ ref: "things thing", before: base, after, live }).fields.map(({ path }) => path)).toEqual([
    "metadata.labels.a",
    "metadata.annotations[example.com/a]",
  ]);
});

test("of labels that nobody rendered, only those are told that somebody set", () => {
  const by = (manager: string, label: string) => ({
    manager,
    fieldsV1: { "f:metadata": { "f:labels": { [`f:${label}`]: {} } } },
  });
  const labels = { "managed-by": "Helm", mine: "yes" };
  const metadata = { name: "thing", labels, managedFields: [by("helm", "managed-by"), by("kubectl-label", "mine")] };
  const { fields } = compareThreeWay({ ref: "things thing", before: thing({}), after: thing({}), live: { metadata } });
  expect(fields).toMatchObject([{ path: "metadata.labels.mine", is: "kept", by: ["kubectl-label"] }]);
});

test("renderings are paired by what names an object, whatever its version", () => {
  const of = (apiVersion: string, name: string, namespace?: string): ClusterObject => ({
    apiVersion,
    kind: "Thing",
    metadata: { name, ...(namespace && { namespace }) },
  });
  const before = [of("a/v1", "one", "ns"), of("a/v1", "old")];
  const after = [of("a/v2", "one"), of("b/v1", "one")];
  expect(pairManifests({ before, after, namespace: "ns" })).toEqual([
    { before: before[0], after: after[0] },
    { before: undefined, after: after[1] },
    { before: before[1], after: undefined },
  ]);
});

function thing(spec: object, metadata: object = {}): ClusterObject {
  return { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "thing", ...metadata }, spec };
}
