import { expect, test } from "vitest";
import type { ClusterObject } from "../snapshot/index.ts";
import { type AdoptionOptions, type ArgoFacts, findHarm, planAdoption } from "./adopt.ts";
import { toAdoptedApplication, toAdoptingApplication } from "./application.ts";
import type { InstalledChart } from "./installed-chart.ts";
import { chartAddon } from "./plan.fixture.ts";
import { findSecretValues } from "./secret-values.ts";
import type { FieldFate, ObjectDifference } from "./three-way/index.ts";

const modern: ArgoFacts = { version: "3.5.7", tracking: undefined };
const installed: InstalledChart = {
  way: "helm",
  chart: "one",
  version: "0.9.0",
  namespace: "there",
  release: "mine",
  values: { a: 1 },
  isSettled: true,
};

test("the application has the release's chart, version, values and name", () => {
  const step = plan({ ownValues: { b: 2 } });
  expect(step).toMatchObject({ way: "argocd", chart: { version: "0.9.0", release: "mine", namespace: "there" } });
  const argo = { namespace: "argocd", project: "infra" };
  expect(toAdoptedApplication(step, argo)).toMatchObject({
    metadata: { name: "one", namespace: "argocd" },
    spec: {
      project: "infra",
      destination: { namespace: "there" },
      source: { targetRevision: "0.9.0", helm: { releaseName: "mine", valuesObject: { a: 1, b: 2 }, skipCrds: true } },
      syncPolicy: { automated: { selfHeal: true } },
    },
  });
  // Until it has synced once as it is told, it does nothing by itself.
  expect(toAdoptingApplication(step, argo).spec.syncPolicy).toEqual({
    syncOptions: ["CreateNamespace=true", "ServerSideApply=true"],
  });
});

test.each<[string, Partial<AdoptionOptions>, string]>([
  ["Argo CD where it is", { argo: modern }, "argocd"],
  ["the hub where it isn't", { argo: undefined }, "helm"],
  ["the hub where that is asked for", { argo: modern, way: "helm" }, "helm"],
  ["the hub for Argo CD itself", { argo: modern, addon: chartAddon("argocd", { chart: "one" }) }, "helm"],
])("the release is taken over by %s", (_name, options, way) => {
  expect(plan(options).way).toBe(way);
});

test.each<[string, ArgoFacts, boolean]>([
  ["by annotation", { version: "2.14.0", tracking: "annotation" }, true],
  ["by annotation, with a label for people", { version: "2.14.0", tracking: "annotation+label" }, true],
  ["by label", { version: "3.5.7", tracking: "label" }, false],
  ["as versions before 3 do", { version: "v2.14.0", tracking: undefined }, false],
  ["as later versions do", { version: "v3.0.0", tracking: undefined }, true],
  ["nobody knows how", { version: undefined, tracking: undefined }, false],
])("an Argo CD that tracks %s adopts: %s", (_name, argo, isTaken) => {
  if (isTaken) expect(plan({ argo }).way).toBe("argocd");
  else expect(() => plan({ argo })).toThrow(expect.objectContaining({ code: "ADDON_ADOPTION_TRACKING" }));
});

test("a release of another chart isn't adopted", () => {
  const other = { ...installed, chart: "fork-of-one" };
  expect(() => plan({ installed: other })).toThrow(expect.objectContaining({ code: "ADDON_CHART_OTHER" }));
});

test.each<[FieldFate, boolean]>([
  ["changed", true],
  ["set-back", true],
  ["removed", true],
  ["agreed", false],
  ["kept", false],
])("a field that is %s does harm: %s", (is, isHarm) => {
  const field = { path: "spec.a", is, before: 1, live: 2, after: 3, by: [] };
  const object: ObjectDifference = { ref: "things thing", is: "unchanged", fields: [field] };
  expect(findHarm([object])).toEqual(isHarm ? ["things thing spec.a"] : []);
});

test("an object that would come or go does harm", () => {
  const of = (is: ObjectDifference["is"]) => ({ ref: is, is, fields: [] });
  expect(findHarm([of("created"), of("removed"), of("absent"), of("unchanged")])).toEqual([
    "created isn't there",
    "removed isn't rendered any more",
  ]);
});

test.each<[string, unknown, string[]]>([
  ["ends in a Secret", { auth: { admin: "hunter2-canary" } }, ["auth.admin"]],
  ["is part of what ends in a Secret", { url: "canary", list: ["x"] }, ["url"]],
  ["is named as one", { adminPassword: "x1", api_key: "x2" }, ["adminPassword", "api_key"]],
  ["names a Secret", { existingSecret: "mine", passwordSecretName: "mine", adminPassword: "" }, []],
  ["is short and only in it by chance", { a: "hunt", b: 2, c: true, d: null }, []],
  ["is short and all of it", { pin: 42 }, ["pin"]],
])("a value that %s", (_name, values, paths) => {
  const rendered: ClusterObject[] = [
    { kind: "Secret", metadata: { name: "s" }, data: { admin: btoa("hunter2-canary") }, stringData: { pin: "42" } },
    { kind: "ConfigMap", metadata: { name: "c" }, data: { x: "x" } },
  ];
  expect(findSecretValues(values, rendered)).toEqual(paths);
});

function plan(options: Partial<AdoptionOptions>) {
  const addon = chartAddon("one", {});
  return planAdoption({ addon, installed, argo: modern, ownValues: undefined, mirrors: [], ...options });
}
