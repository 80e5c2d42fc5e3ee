import { expect, test } from "vitest";
import { compareApplication } from "./compare.ts";

const source = { repoURL: "https://git.example/a", path: "shop", targetRevision: "v2" };
const spec = { project: "default", source, destination: { name: "east", namespace: "shop" } };
const comparedTo = { source, destination: { name: "in-cluster", namespace: "shop" } };

test("an application that the cluster has as it is wanted has no differences", () => {
  const resources = [{ kind: "Service", name: "web", status: "Synced" }];
  const compared = compareApplication({ spec, status: { sync: { comparedTo }, resources } });
  expect(compared).toEqual({ isCompared: true, spec: [], resources: [] });
});

test("what the cluster works by still is told by field, and what isn't as its source has it by name", () => {
  const old = { ...comparedTo, source: { ...source, targetRevision: "v1", helm: { parameters: [{ name: "a" }] } } };
  const resources = [
    { kind: "Deployment", namespace: "shop", name: "web", status: "OutOfSync" },
    { kind: "ConfigMap", namespace: "shop", name: "old", status: "OutOfSync", requiresPruning: true },
    "nonsense",
  ];
  expect(compareApplication({ spec, status: { sync: { comparedTo: old }, resources } })).toEqual({
    isCompared: true,
    spec: [
      { field: "source.targetRevision", hub: "v2", cluster: "v1" },
      { field: "source.helm.parameters.0.name", hub: "", cluster: "a" },
    ],
    resources: [
      { kind: "Deployment", namespace: "shop", name: "web", status: "OutOfSync", isToBePruned: false },
      { kind: "ConfigMap", namespace: "shop", name: "old", status: "OutOfSync", isToBePruned: true },
    ],
  });
});

test("one that the cluster hasn't compared yet says so", () => {
  expect(compareApplication({ spec, status: {} })).toEqual({ isCompared: false, spec: [], resources: [] });
});
