import { expect, test } from "vitest";
import { unjudge } from "./unjudge.ts";

test("nothing that was judged is left, all counts as unknown, and what was merely seen stays", () => {
  const found = {
    fitness: "fit",
    clusterType: "eks",
    verdicts: { pass: 4, warn: 3, fail: 2, unknown: 1 },
    addons: [{ id: "argocd", state: "healthy", version: "3.5.7" }],
    features: [{ id: "deploy", state: "available" }],
    hidden: [{ resource: "nodes", why: "forbidden" }],
  };
  expect(unjudge(found)).toEqual({
    fitness: "unknown",
    clusterType: "eks",
    verdicts: { pass: 0, warn: 0, fail: 0, unknown: 10 },
    addons: [{ id: "argocd", state: "unknown", version: "3.5.7" }],
    features: [{ id: "deploy", state: "unknown" }],
    hidden: found.hidden,
  });
});
