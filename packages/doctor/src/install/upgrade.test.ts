import { expect, test } from "vitest";
import type { ClusterObject } from "../snapshot/index.ts";
import type { InstalledChart } from "./installed-chart.ts";
import { readApplication } from "./installed-chart.ts";
import { chartAddon as addon } from "./plan.fixture.ts";
import { planUpgrade, type UpgradeOptions } from "./upgrade.ts";

test("a step says what is there, what is asked for, and merges one's own values with those there", () => {
  const { steps } = plan({
    wanted: ["one"],
    installed: new Map([["one", helm({ version: "1.0.0", values: { a: 1, b: { c: 2 } } })]]),
    ownValues: new Map([["one", { b: { d: 3 }, a: null }]]),
  });
  expect(steps).toMatchObject([
    {
      addon: "one",
      way: "helm",
      from: { version: "1.0.0" },
      values: { b: { c: 2, d: 3 } },
      chart: { chart: "one", version: "1.2.3", namespace: "there", release: "mine" },
    },
  ]);
  // The catalogue's own values aren't put where nobody has asked for them.
  expect(steps[0]?.values).not.toHaveProperty("replicas");
});

test("addons come in the order in which they need each other, by who keeps them", () => {
  const { steps } = plan({
    wanted: ["two", "one"],
    catalogue: [addon("two", { after: ["one"] }), addon("one", {})],
    installed: new Map([
      ["one", helm({ version: "1.0.0" })],
      ["two", { ...helm({ version: "1.0.0", chart: "two" }), way: "argocd", repository: "oci://mine.example.com/x" }],
    ]),
  });
  expect(steps.map(({ addon: id, way, chart }) => [id, way, chart.repository])).toEqual([
    ["one", "helm", "https://charts.example.com"],
    ["two", "argocd", "oci://mine.example.com/x"],
  ]);
});

test.each<[string, Partial<InstalledChart>, Partial<UpgradeOptions>, string | undefined]>([
  ["at the version asked for", { version: "1.2.3" }, {}, "it is at 1.2.3 already, with these values"],
  ["newer than the catalogue", { version: "2.0.0" }, {}, "it is at 2.0.0 already, and the catalogue at 1.2.3"],
  [
    "newer than a version that is asked for",
    { version: "2.0.0" },
    { versions: new Map([["one", "1.9.0"]]) },
    undefined,
  ],
  ["at that version with other values", { version: "1.2.3" }, { ownValues: new Map([["one", { a: 2 }]]) }, undefined],
  ["half done", { version: "1.2.3", isSettled: false }, {}, undefined],
  ["older", { version: "1.2.3-rc.1" }, {}, undefined],
])("an addon that is %s", (_name, installed, options, why) => {
  const { steps, skipped } = plan({ wanted: ["one"], installed: new Map([["one", helm(installed)]]), ...options });
  expect(skipped.map((each) => each.why)).toEqual(why ? [why] : []);
  expect(steps).toHaveLength(why ? 0 : 1);
});

test.each<[string, Partial<UpgradeOptions>]>([
  ["ADDON_UNKNOWN", { wanted: ["three"] }],
  ["ADDON_NOT_INSTALLED", { wanted: ["one"] }],
  ["ADDON_NOT_INSTALLABLE", { wanted: ["one"], catalogue: [addon("one", undefined)] }],
  ["ADDON_CHART_OTHER", { wanted: ["one"], installed: new Map([["one", helm({ chart: "fork-of-one" })]]) }],
])("%s", (code, options) => {
  expect(() => plan(options)).toThrow(expect.objectContaining({ code }));
});

test("an application says which chart it keeps, with which values", () => {
  const read = readApplication(application({ source: { helm: { valuesObject: { a: 1 }, values: "a: 2" } } }));
  expect(read).toMatchObject({
    is: "chart",
    installed: {
      chart: "one",
      version: "1.0.0",
      release: "mine",
      namespace: "there",
      values: { a: 1 },
      isSettled: true,
    },
  });
  expect(readApplication(application({ source: { helm: { values: "{a: 2}" } } }))).toMatchObject({
    // The spec isn't what runs until it has been synced.
    installed: {
      values: { a: 2 },
      synced: { version: "0.9.0", values: { a: 0 } },
      repository: "oci://reg.example.com/x",
      release: "mine",
    },
  });
});

test.each<[string, object, object]>([
  ["takes its chart from git", { source: { chart: undefined, path: "x" } }, {}],
  ["has several sources", { sources: [{ chart: "one" }] }, {}],
  ["stand in parameters", { source: { helm: { parameters: [{ name: "a", value: "1" }] } } }, {}],
  ["are no map", { source: { helm: { values: "- a" } } }, {}],
  ["the ApplicationSet 'all'", {}, { ownerReferences: [{ kind: "ApplicationSet", name: "all" }] }],
  [
    "the application 'root'",
    {},
    { annotations: { "argocd.argoproj.io/tracking-id": "root:argoproj.io/Application:a/b" } },
  ],
])("an application can't be changed here: %s", (why, spec, metadata) => {
  expect(readApplication(application(spec, metadata))).toEqual({ is: "other", why: expect.stringContaining(why) });
});

function plan(options: Partial<UpgradeOptions>) {
  return planUpgrade({
    wanted: [],
    catalogue: [addon("one", {})],
    installed: new Map(),
    versions: new Map(),
    ownValues: new Map(),
    mirrors: [],
    ...options,
  });
}

function helm(fields: Partial<InstalledChart>): InstalledChart {
  return {
    way: "helm",
    chart: "one",
    version: "1.0.0",
    namespace: "there",
    release: "mine",
    values: {},
    isSettled: true,
    ...fields,
  };
}

function application(
  { source, ...spec }: { source?: { helm?: object }; sources?: unknown },
  metadata = {},
): ClusterObject {
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name: "one", namespace: "argocd", ...metadata },
    spec: {
      destination: { namespace: "there" },
      source: {
        chart: "one",
        repoURL: "reg.example.com/x",
        targetRevision: "1.0.0",
        ...source,
        helm: { releaseName: "mine", ...source?.helm },
      },
      ...spec,
    },
    status: {
      sync: { status: "Synced" },
      health: { status: "Healthy" },
      history: [{}, { source: { targetRevision: "0.9.0", helm: { valuesObject: { a: 0 } } } }],
    },
  };
}
