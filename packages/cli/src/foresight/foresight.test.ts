import pc from "picocolors";
import { expect, test } from "vitest";
import { describePlan, wouldChange } from "./index.ts";

const output = { safe: (text: string | undefined) => text ?? "-", colors: pc.createColors(false) };
const object = (did: string, more: object = {}): object => ({
  kind: "ConfigMap",
  namespace: "shop",
  name: did,
  did,
  ...more,
});
const chart = { name: "web", version: "1.2.3" };
const release = { release: "web", namespace: "shop", chart, hooks: [], objects: [object("unchanged")] };
const upgrade = { ...release, revision: 4, from: { revision: 3, chart } };
const tofu = { action: "plan", resources: [{ address: "data.a", did: "read" }], outputs: [], drift: [] };
const step = (more: object): object => ({ id: "apply", kind: "manifests", known: true, isEmpty: true, ...more });
const hook = { kind: "Job", name: "migrate", events: ["pre-upgrade"] };
const drift = [{ address: "a.b", did: "change" }];

test.each<[what: string, plan: unknown]>([
  ["a set that is as it should be", { objects: [object("unchanged"), object("kept")], omitted: 3 }],
  ["a set without objects", { objects: [] }],
  ["a release whose revision and objects stay", upgrade],
  ["no release to uninstall", { release: "web", namespace: "shop", revision: 0, objects: [], hooks: [] }],
  ["a configuration whose data sources are read", tofu],
  ["drift that a plan doesn't mend", { ...tofu, drift }],
  ["a look for drift that finds none", { ...tofu, action: "drift", drifted: false }],
  ["a flow whose steps change nothing", { steps: [step({}), step({ kind: "wait" })] }],
])("%s would change nothing", async (_what, plan) => {
  expect(wouldChange(plan)).toBe(false);
});

test.each<[what: string, plan: unknown, lines: readonly string[]]>([
  ["a new object", { objects: [object("created")] }, ["+ ConfigMap shop/created"]],
  [
    "changed fields",
    {
      objects: [
        object("changed", {
          changes: [
            { path: "data.a", from: "1", to: 2 },
            { path: "b", to: null },
          ],
        }),
      ],
    },
    ["~ ConfigMap shop/changed", '    data.a: "1" -> 2', "    b: (unset) -> null"],
  ],
  ["a pruned object", { objects: [object("deleted"), object("unchanged")] }, ["- ConfigMap shop/deleted"]],
  ["an object that is refused", { objects: [object("failed", { message: "no" })] }, ["! ConfigMap shop/failed: no"]],
  ["a first release", { ...release, revision: 1 }, ["+ release shop/web: web 1.2.3"]],
  [
    "another version of the chart",
    { ...upgrade, chart: { ...chart, version: "1.3.0" } },
    ["~ release shop/web: web 1.2.3 -> web 1.3.0"],
  ],
  ["a release after a failed one", { ...upgrade, revision: 5 }, ["~ release shop/web: web 1.2.3, a new revision"]],
  [
    "a hook",
    { ...upgrade, hooks: [hook] },
    ["~ release shop/web: web 1.2.3, a new revision", "~ hook Job migrate (pre-upgrade)"],
  ],
  ["a rollback", { ...release, chart: undefined, to: { revision: 2 } }, ["~ release shop/web: back to revision 2"]],
  ["a CustomResourceDefinition", { ...upgrade, crds: [object("created")] }, ["+ ConfigMap shop/created"]],
  ["a resource", { ...tofu, resources: [{ address: "a.b", did: "replace" }] }, ["~ a.b: replace"]],
  ["an output", { ...tofu, outputs: [{ name: "url", did: "add" }] }, ["+ output url"]],
  ["drift that is looked for", { ...tofu, action: "drift", drifted: true, drift }, ["~ a.b: change (drifted)"]],
  ["drift that is to be kept", { ...tofu, action: "refresh", drift }, ["~ a.b: change (drifted)"]],
  ["resources that are left out", { ...tofu, omitted: 2 }, ["… 2 more, which the run's log names."]],
  [
    "a step",
    { steps: [step({}), step({ isEmpty: false, plan: { objects: [object("created")] } })] },
    ["~ step apply (manifests):", "  + ConfigMap shop/created"],
  ],
  [
    "a step that isn't known yet",
    { steps: [step({ known: false, isEmpty: undefined, why: "it uses outputs of db" })] },
    ["? step apply (manifests): known later, since it uses outputs of db"],
  ],
  ["something of another version", { created: ["a"] }, ["created:", "  - a"]],
  ["a run that doesn't tell", undefined, ["The run doesn't tell what would change."]],
])("%s would be a change, and is told", async (_what, plan, lines) => {
  expect(wouldChange(plan)).toBe(true);
  const told = (await describePlan(output, plan)).split("\n");
  for (const line of lines) expect(told).toContain(line);
});

test("what a proposer isn't shown is said", async () => {
  const plan = { objects: [object("changed")], withheld: true, withheldBecause: "It read Secrets." };

  expect(await describePlan(output, plan)).toBe("~ ConfigMap shop/changed\nIt read Secrets.\n");
});
