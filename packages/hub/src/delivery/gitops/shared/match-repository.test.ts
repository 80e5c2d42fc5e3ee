import { expect, test } from "vitest";
import { matchesRepository } from "./match-repository.ts";

const metadata = { name: "r", namespace: "argocd", labels: {}, annotations: {}, finalizers: [], isDeleting: false };

test.each([
  ["of a project that the cluster has", { project: "shop" }, false, true],
  ["of another project", { project: "bank" }, false, false],
  ["of another project, with global ones shared", { project: "bank" }, true, false],
  ["of no project", {}, false, false],
  ["of no project, with global ones shared", {}, true, true],
  ["whose project is empty", { project: "" }, false, false],
])("a Secret %s", (_what, fields: Record<string, string>, sharesGlobal, isMatch) => {
  const data = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, Buffer.from(value).toString("base64")]),
  );
  const hasProject = (project: string): boolean => project === "shop";
  expect(matchesRepository({ metadata, data, type: "Opaque" }, { hasProject, sharesGlobal })).toBe(isMatch);
});
