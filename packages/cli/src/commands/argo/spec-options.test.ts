import { expect, test } from "vitest";
import { withSpecOptions } from "./spec-options.ts";

const source = { repoURL: "https://git.example/a", path: "shop", targetRevision: "main", directory: { recurse: true } };
const before = { project: "default", source, destination: { name: "east", namespace: "shop" } };
const automated = { ...before, syncPolicy: { automated: { prune: true }, retry: { limit: 2 } } };

test.each([
  ["a revision", before, { revision: "v2" }, { source: { ...source, targetRevision: "v2" } }],
  ["a chart in place of a path", before, { chart: "web" }, { source: { ...without(source, "path"), chart: "web" } }],
  ["a namespace", before, { destNamespace: "web" }, { destination: { name: "east", namespace: "web" } }],
  ["a policy", before, { syncPolicy: "automated" }, { syncPolicy: { automated: {} } }],
  ["no policy", automated, { syncPolicy: "none" }, { syncPolicy: { retry: { limit: 2 } } }],
  [
    "healing, where it syncs by itself",
    automated,
    { selfHeal: "yes" },
    { syncPolicy: { retry: { limit: 2 }, automated: { prune: true, selfHeal: true } } },
  ],
  ["options of a sync", before, { syncOption: ["Replace=true"] }, { syncPolicy: { syncOptions: ["Replace=true"] } }],
  ["a project", before, { project: "web" }, { project: "web" }],
] as const)("changes %s, and leaves the rest", (_, spec, options, expected) => {
  expect(withSpecOptions(spec, options)).toEqual({ ...spec, ...expected });
});

test.each([
  ["a path and a chart", before, { path: "a", chart: "b" }],
  ["pruning where nothing syncs by itself", before, { autoPrune: "yes" }],
  ["one of several sources", { sources: [source] }, { revision: "v2" }],
] as const)("refuses %s", (_, spec, options) => {
  expect(() => withSpecOptions(spec, options)).toThrow(expect.objectContaining({ code: "CLI_USAGE" }));
});

function without(map: object, key: string): object {
  return Object.fromEntries(Object.entries(map).filter(([name]) => name !== key));
}
