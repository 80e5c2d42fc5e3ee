import type { InstallWay, ObjectDifference } from "@fairlead/doctor";
import { expect, test } from "vitest";
import type { ClusterAdoption } from "./adoption-plan.ts";
import { requireHarmless, requireNoSecrets } from "./require-harmless.ts";

const changed: ObjectDifference = { ref: "things thing", is: "created", fields: [] };

test("values that hold secrets aren't put into an application", () => {
  const step = { addon: "one", secretValues: ["auth.password"] };
  expect(() => requireNoSecrets({ ...step, way: "argocd" })).toThrow(
    expect.objectContaining({ code: "ADDON_VALUES_SECRET", message: expect.stringContaining("auth.password") }),
  );
  expect(() => requireNoSecrets({ ...step, way: "helm" })).not.toThrow();
  expect(() => requireNoSecrets({ ...step, way: "argocd", secretValues: [] })).not.toThrow();
});

test("an adoption that would change something, or can't see all, doesn't begin", () => {
  const differs = expect.objectContaining({ code: "ADDON_ADOPTION_DIFFERS" });
  expect(() => requireHarmless(adoption({ objects: [changed] }))).toThrow(differs);
  expect(() => requireHarmless(adoption({ doubts: ["you may not read secrets one/mine"] }))).toThrow(differs);
  expect(() => requireHarmless(adoption({ secretValues: ["token"] }))).toThrow(
    expect.objectContaining({ code: "ADDON_VALUES_SECRET" }),
  );
  expect(() => requireHarmless(adoption({}))).not.toThrow();
});

function adoption(fields: Partial<ClusterAdoption>): ClusterAdoption {
  const way: InstallWay = "argocd";
  const chart = {
    chart: "one",
    repository: "https://charts.example.com",
    version: "1.0.0",
    namespace: "one",
    release: "one",
  };
  const from = { ...chart, way, values: {}, isSettled: true };
  return {
    cluster: "east",
    digest: undefined,
    objects: [],
    doubts: [],
    secretValues: [],
    revisions: 1,
    step: { addon: "one", title: "One", way, chart, values: {}, from, ownValues: undefined },
    argo: { namespace: "argocd", project: "default" },
    ...fields,
  };
}
