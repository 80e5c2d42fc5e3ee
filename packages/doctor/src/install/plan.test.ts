import { expect, test } from "vitest";
import { fairlead } from "../profiles/index.ts";
import type { AddonReport, AddonState } from "../report/index.ts";
import { toApplication } from "./application.ts";
import { mergeValues } from "./merge-values.ts";
import { chartAddon as addon } from "./plan.fixture.ts";
import { type PlanOptions, planInstall } from "./plan.ts";

const catalogue = [
  addon("argocd", { order: -20 }),
  addon("prometheus", { order: 0 }),
  addon("elasti", { order: 0, after: ["prometheus"] }),
  addon("agent-of-a-cloud", undefined),
];

test("an addon comes after those it needs, and these come along", () => {
  const { steps } = plan({ wanted: ["elasti", "argocd"] });
  expect(steps.map(({ addon, way, neededBy }) => [addon, way, neededBy])).toEqual([
    ["argocd", "helm", undefined],
    ["prometheus", "argocd", "elasti"],
    ["elasti", "argocd", undefined],
  ]);
});

test("where there is no Argo CD, Helm installs", () => {
  expect(plan({ wanted: ["elasti"] }).steps.map(({ way }) => way)).toEqual(["helm", "helm"]);
  expect(plan({ wanted: ["elasti"], found: [report("argocd", "healthy")] }).steps[0]?.way).toBe("argocd");
  expect(plan({ wanted: ["elasti"], found: [report("argocd", "healthy")], way: "helm" }).steps[0]?.way).toBe("helm");
});

test.each<AddonState>(["healthy", "degraded", "misconfigured", "provider-managed", "unknown"])(
  "an addon that is %s isn't installed over",
  (state) => {
    const { steps, skipped } = plan({ wanted: ["prometheus"], found: [report("prometheus", state)] });
    expect(steps).toEqual([]);
    expect(skipped).toEqual([{ addon: "prometheus", why: `it is ${state}: so it is` }]);
  },
);

test("one's own values are merged over the catalogue's, not put in their place", () => {
  const ownValues = new Map([["prometheus", { grafana: { enabled: true }, replicas: null }]]);
  expect(plan({ wanted: ["prometheus"], ownValues }).steps[0]?.values).toEqual({ grafana: { enabled: true, port: 1 } });
  expect(mergeValues({ list: [1, 2], map: { a: 1 } }, { list: [3], map: { b: { c: null } } })).toEqual({
    list: [3],
    map: { a: 1, b: {} },
  });
});

test.each([
  ["https://charts.example.com/all", "https://mirror.example.net/all"],
  ["https://charts.example.community", "https://charts.example.community"],
  ["https://charts.example.com", "https://mirror.example.net"],
])("a mirror stands for its repositories: %s", (repository, expected) => {
  const mirrors = [{ from: "https://charts.example.com", to: "https://mirror.example.net" }];
  const { steps } = plan({ wanted: ["one"], catalogue: [addon("one", { repository })], mirrors });
  expect(steps[0]?.chart.repository).toBe(expected);
});

test.each([
  ["ADDON_UNKNOWN", { wanted: ["prometeus"] }],
  ["ADDON_NOT_INSTALLABLE", { wanted: ["agent-of-a-cloud"] }],
  ["ADDON_UNSUPPORTED", { wanted: ["prometheus"], clusterType: "oke" as const }],
  ["ADDON_ORDER_CIRCULAR", { wanted: ["a"], catalogue: [addon("a", { after: ["b"] }), addon("b", { after: ["a"] })] }],
])("%s", (code, options) => {
  expect(() => plan(options)).toThrow(expect.objectContaining({ code }));
});

test("an Application names an OCI repository as Argo CD does", () => {
  const [step] = plan({ wanted: ["one"], catalogue: [addon("one", { repository: "oci://reg.example.com/x" })] }).steps;
  if (!step) throw new Error("no step");
  expect(toApplication(step, { namespace: "argocd", project: "default" })).toMatchObject({
    metadata: { name: "one", namespace: "argocd" },
    spec: { source: { repoURL: "reg.example.com/x", chart: "one", targetRevision: "1.2.3" } },
  });
});

function plan(options: Partial<PlanOptions>) {
  return planInstall({
    wanted: [],
    catalogue,
    clusterType: "generic",
    profile: fairlead,
    found: [],
    ownValues: new Map(),
    mirrors: [],
    ...options,
  });
}

function report(id: string, state: AddonState): AddonReport {
  return {
    id,
    title: id,
    need: "optional",
    state,
    message: "so it is",
    installation: { presence: { is: "installed" }, components: [] },
    checks: [],
  };
}
